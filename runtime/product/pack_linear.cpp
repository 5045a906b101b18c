// SPDX-License-Identifier: MIT
//
// Packed weights written from floats or from quantized numbers, and read back.
#include "product/pack_linear.hpp"

#include <kernels/transpose.hpp>

#include "format/quantize.hpp"
#include "heed/linear.hpp"
#include "product/linear_check.hpp"
#include "product/pack_integer_rows.hpp"

namespace heed {

Status pack_linear(const LinearPlan& plan, const float* weight, const float* bias,
                   std::span<std::byte> packed) noexcept {
  const Status status = detail::check_packing(plan, weight, bias, packed);
  if (status != Status::ok) return status;
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

/// To the numbers of a row, or to its scales.
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

namespace {

/// Inputs dequantized at a time; scale_group_size is a multiple of it.
constexpr std::uint32_t at_once = 8;

/// unpack_linear() for rows of integers.
void unpack_integers(const LinearPlan& plan, const PackedWeights& weights, float* weight) noexcept {
  const auto panel_bytes =
      static_cast<std::size_t>(detail::packed_inputs(plan.row_type, plan.inputs)) * detail::vector_bytes(plan.type);
  const auto scale_bytes = static_cast<std::size_t>(detail::panel_scale_bytes(plan.type, plan.inputs));
  const std::byte* const panels = weights.span().data() + plan.weights.offset;
  const std::byte* const scales = weights.span().data() + plan.scales.offset;
  for (std::uint32_t output = 0; output < plan.outputs; ++output, weight += plan.inputs) {
    const std::size_t panel = output / panel_width;
    weights.format->dequantize_lane(panels + panel * panel_bytes, scales + panel * scale_bytes,
                                    static_cast<int>(output % panel_width), plan.inputs, weight);
  }
}

}  // namespace

Status unpack_linear(const LinearPlan& plan, const PackedWeights& weights, float* weight) noexcept {
  const Status status = detail::check_packed(plan, weights);
  if (status != Status::ok) return status;
  if (weight == nullptr) return Status::null_pointer;
  if (plan.row_bytes != 0) {
    unpack_integers(plan, weights, weight);
    return Status::ok;
  }
  const std::size_t vector_bytes = detail::vector_bytes(plan.type);
  const auto scale_bytes = static_cast<std::size_t>(detail::panel_scale_bytes(plan.type, plan.inputs));
  const std::byte* panels = weights.span().data() + plan.weights.offset;
  const std::byte* scales = weights.span().data() + plan.scales.offset;
  float dequantized[at_once * panel_width];
  for (std::uint32_t row = 0; row < plan.outputs; row += panel_width, scales += scale_bytes) {
    const std::uint32_t lanes = plan.outputs - row < panel_width ? plan.outputs - row : panel_width;
    for (std::uint32_t k = 0; k < plan.inputs; k += at_once) {
      const std::uint32_t steps = plan.inputs - k < at_once ? plan.inputs - k : at_once;
      const std::size_t group = k / scale_group_size;
      const std::size_t group_bytes = detail::has_groups(plan.type) ? panel_width * sizeof(std::uint16_t) : 0;
      const float* from = reinterpret_cast<const float*>(panels);
      if (weights.format != nullptr) {
        weights.format->dequantize_panel(panels, scales + group * group_bytes, steps, dequantized);
        from = dequantized;
      }
      for (std::uint32_t i = 0; i < steps * panel_width; ++i) {
        if (i % panel_width < lanes) {
          weight[std::size_t{row + i % panel_width} * plan.inputs + k + i / panel_width] = from[i];
        }
      }
      panels += steps * vector_bytes;
    }
  }
  return Status::ok;
}

}  // namespace heed
