// SPDX-License-Identifier: MIT
//
// Packed weights written from floats or from quantized numbers.
#include "product/pack_linear.hpp"

#include <kernels/transpose.hpp>

#include "common/half.hpp"
#include "format/quantize.hpp"
#include "heed/linear.hpp"
#include "product/linear_check.hpp"
#include "product/pack_integer_rows.hpp"

namespace heed {

Status pack_linear(const LinearPlan& plan, const float* weight, const float* bias,
                   std::span<std::byte> packed) noexcept {
  const Status status = detail::check_packing(plan, weight, bias, packed);
  if (status != Status::ok) return status;
  if (detail::is_lost(plan, weight)) return Status::bad_scale;
  plan.type == DataType::float32 ? detail::pack_floats(plan, weight, bias, packed.data())
                                 : detail::pack_rounded(plan, weight, bias, packed.data());
  return Status::ok;
}

}  // namespace heed

namespace heed::detail {

void pack_bias(const LinearPlan& plan, const float* bias, std::byte* packed) noexcept {
  auto* to = reinterpret_cast<float*>(packed + plan.bias.offset);
  for (std::uint32_t i = 0; i < plan.bias.bytes / sizeof(float); ++i) {
    to[i] = bias != nullptr && i < plan.outputs ? bias[i] : 0.0F;
  }
}

void pack_floats(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept {
  auto* panels = reinterpret_cast<float*>(packed + plan.weights.offset);
  for (std::uint32_t row = 0; row < plan.outputs; row += panel_width) {
    const std::uint32_t left = plan.outputs - row;
    const std::uint32_t count = left < panel_width ? left : panel_width;
    const float* rows[panel_width];
    for (std::uint32_t r = 0; r < count; ++r) rows[r] = weight + std::size_t{row + r} * plan.inputs;
    to_panel(rows, count, plan.inputs, 1.0F, panels + std::size_t{row} * plan.inputs);
  }
  pack_bias(plan, bias, packed);
}

namespace {

/// Whether the number of greatest magnitude, or the scale that follows from it, is stored as 0; of int8, the number is.
[[nodiscard]] bool is_stored_as_zero(DataType type, float greatest) noexcept {
  if (type == DataType::int8) return greatest <= 0x1p-142F;  // half of the least scale
  if (type == DataType::bfloat16) return to_bfloat16(greatest) == 0;
  if (type != DataType::float16) {
    greatest /= type == DataType::int8_groups || type == DataType::int8_multipliers ? 127.0F : 8.0F;
  }
  return has_multipliers(type) ? greatest / 63.0F == 0.0F : to_half(greatest) == 0;
}

void store_output(DataType type, const float* weight, std::uint32_t inputs, const StoredRow& row) noexcept {
  if (type == DataType::float16) {
    store_float16(weight, 0, inputs, row);
  } else if (type == DataType::bfloat16) {
    store_bfloat16(weight, 0, inputs, row);
  } else if (type == DataType::int8) {
    raise_int8_scale(weight, 0, inputs, row);  // which clear_weights() has cleared
    store_int8(weight, 0, inputs, row);
  } else if (type == DataType::int8_groups) {
    store_int8_groups(weight, inputs, row);
  } else {
    store_int4_groups(weight, inputs, row);
  }
}

}  // namespace

bool is_lost(const LinearPlan& plan, const float* weight) noexcept {
  if (plan.type == DataType::float32) return false;
  float greatest = 0.0F;
  for (std::uint32_t output = 0; output < plan.outputs; ++output, weight += plan.inputs) {
    const float magnitude = greatest_magnitude(weight, plan.inputs);
    if (magnitude != magnitude) return false;
    if (magnitude > greatest) greatest = magnitude;
  }
  return greatest != 0.0F && is_stored_as_zero(plan.type, greatest);
}

void pack_rounded(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept {
  if (plan.row_bytes != 0) {
    pack_for_integer_rows(plan, weight, packed);
    pack_bias(plan, bias, packed);
    return;
  }
  clear_weights(plan, packed);
  for (std::uint32_t i = 0; i < plan.outputs; ++i) {
    store_output(plan.type, weight + std::size_t{i} * plan.inputs, plan.inputs, linear_row(plan, packed, i));
  }
  pack_bias(plan, bias, packed);
}

}  // namespace heed::detail

namespace heed {
namespace {

/// Copies to the numbers of a row, or to its scales.
template <class Element>
void copy_row(const Element* from, std::size_t count, const detail::StoredRow& row, std::byte* to) noexcept {
  for (std::size_t i = 0; i < count; ++i) reinterpret_cast<Element*>(to)[row.place(i)] = from[i];
}

/// Integers and their scales, `scale_count` for each output.
template <class Scale>
void pack_integers(const LinearPlan& plan, const std::int8_t* weight, const Scale* scales, std::size_t scale_count,
                   std::byte* packed) noexcept {
  detail::clear_weights(plan, packed);
  for (std::uint32_t output = 0; output < plan.outputs; ++output) {
    const std::int8_t* from = weight + std::size_t{output} * plan.inputs;
    const detail::StoredRow row = detail::linear_row(plan, packed, output);
    if (plan.type == DataType::int4_groups) {
      for (std::uint32_t i = 0; i < plan.inputs; ++i) detail::put_int4(row, i, from[i]);
    } else {
      copy_row(from, plan.inputs, row, row.numbers);
    }
    copy_row(scales + output * scale_count, scale_count, row, row.scales);
  }
}

[[nodiscard]] bool fit_int4(const std::int8_t* q, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (q[i] < -8 || q[i] > 7) return false;
  }
  return true;
}

}  // namespace

Status pack_linear_quantized(const LinearPlan& plan, const std::uint16_t* weight, const float* bias,
                             std::span<std::byte> packed) noexcept {
  const Status status = detail::check_packing(plan, weight, bias, packed);
  if (status != Status::ok) return status;
  if (plan.type != DataType::float16 && plan.type != DataType::bfloat16) return Status::plan_mismatch;
  detail::clear_weights(plan, packed.data());
  for (std::uint32_t output = 0; output < plan.outputs; ++output) {
    const detail::StoredRow row = detail::linear_row(plan, packed.data(), output);
    copy_row(weight + std::size_t{output} * plan.inputs, plan.inputs, row, row.numbers);
  }
  detail::pack_bias(plan, bias, packed.data());
  return Status::ok;
}

Status pack_linear_quantized(const LinearPlan& plan, const std::int8_t* weight, const float* scales, const float* bias,
                             std::span<std::byte> packed) noexcept {
  const Status status = detail::check_packing(plan, weight, bias, packed);
  if (status != Status::ok) return status;
  if (scales == nullptr) return Status::null_pointer;
  if (plan.type != DataType::int8 || plan.row_bytes != 0) return Status::plan_mismatch;
  pack_integers(plan, weight, scales, 1, packed.data());
  detail::pack_bias(plan, bias, packed.data());
  return Status::ok;
}

Status pack_linear_quantized(const LinearPlan& plan, const std::int8_t* weight, const std::uint16_t* scales,
                             const float* bias, std::span<std::byte> packed) noexcept {
  const Status status = detail::check_packing(plan, weight, bias, packed);
  if (status != Status::ok) return status;
  if (scales == nullptr) return Status::null_pointer;
  if (!detail::has_groups(plan.type)) return Status::plan_mismatch;
  if (plan.type == DataType::int4_groups && !fit_int4(weight, std::size_t{plan.outputs} * plan.inputs)) {
    return Status::bad_option;
  }
  const std::size_t groups = (std::size_t{plan.inputs} + scale_group_size - 1) / scale_group_size;
  pack_integers(plan, weight, scales, groups, packed.data());
  detail::pack_bias(plan, bias, packed.data());
  return Status::ok;
}

}  // namespace heed
