// SPDX-License-Identifier: MIT
#include "format/rounding.hpp"
#include "product/linear_check.hpp"
#include "product/linear_rows.hpp"
#include "product/pack_linear.hpp"

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
  if (plan.type != DataType::int8) return Status::plan_mismatch;
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
