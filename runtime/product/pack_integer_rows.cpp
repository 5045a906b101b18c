// SPDX-License-Identifier: MIT
#include "product/pack_integer_rows.hpp"

#include "format/quantize.hpp"
#include "product/linear_check.hpp"

namespace heed::detail {
namespace {

/// A group's scale before it becomes a multiplier: signed, and NaN if a number is infinite or NaN.
[[nodiscard]] float group_scale(DataType type, const float* from, std::uint32_t count) noexcept {
  if (type == DataType::int8_multipliers) return greatest_magnitude(from, count) / 127.0F;
  return extreme_of(from, count) / -8.0F;
}

/// The least multiplier in 1..63 with which a group's own scale is reached, and its sign.
[[nodiscard]] std::int32_t multiplier_of(float own, float scale) noexcept {
  const float ratio = (own < 0.0F ? -own : own) / scale;
  auto multiplier = ratio < 63.0F ? static_cast<std::int32_t>(ratio) : 63;
  if (static_cast<float>(multiplier) < ratio && multiplier < 63) ++multiplier;
  return own < 0.0F ? -multiplier : multiplier;
}

/// An output whose groups have multipliers.
void pack_groups(const LinearPlan& plan, const float* weight, std::byte* packed, std::uint32_t output) noexcept {
  const auto count = [&plan](std::uint32_t first) {
    return plan.inputs - first < scale_group_size ? plan.inputs - first : scale_group_size;
  };
  float greatest = 0.0F;
  for (std::uint32_t k = 0; k < plan.inputs; k += scale_group_size) {
    const float own = group_scale(plan.type, weight + k, count(k));
    const float magnitude = own < 0.0F ? -own : own;
    if (!(magnitude <= greatest)) greatest = magnitude;
    if (own != own) break;
  }
  const float scale = greatest / 63.0F;
  linear_row(plan, packed, output).scale<float>(0) = scale;
  if (!(scale > 0.0F)) return;
  const bool bytes = plan.type == DataType::int8_multipliers;
  for (std::uint32_t k = 0; k < plan.inputs; k += scale_group_size) {
    const std::int32_t multiplier = multiplier_of(group_scale(plan.type, weight + k, count(k)), scale);
    put_multiplier(plan, packed, output, k / scale_group_size, multiplier);
    const float step = static_cast<float>(multiplier) * scale;
    for (std::uint32_t i = k; i < k + count(k); ++i) {
      put_number(plan, packed, output, i,
                 bytes ? quantize(weight[i], step, -127.0F, 127.0F) : quantize(weight[i], step, -8.0F, 7.0F));
    }
  }
}

void pack_output(const LinearPlan& plan, const float* weight, std::byte* packed, std::uint32_t output) noexcept {
  const StoredRow row = linear_row(plan, packed, output);
  raise_int8_scale(weight, 0, plan.inputs, row);
  const float scale = row.scale<float>(0);
  for (std::uint32_t i = 0; i < plan.inputs; ++i) {
    put_number(plan, packed, output, i, quantize(weight[i], scale, -127.0F, 127.0F));
  }
}

}  // namespace

void clear_integers(const LinearPlan& plan, std::byte* packed) noexcept {
  const bool nibbles = plan.type == DataType::int4_multipliers;
  for (std::uint32_t i = 0; i < plan.weights.bytes; ++i) {
    packed[plan.weights.offset + i] =
        nibbles ? std::byte{0x88} : std::byte{i % 2 == 0 ? std::uint8_t{0x80} : std::uint8_t{0}};
  }
  for (std::uint32_t i = 0; i < plan.scales.bytes; ++i) packed[plan.scales.offset + i] = std::byte{0};
}

void pack_for_integer_rows(const LinearPlan& plan, const float* weight, std::byte* packed) noexcept {
  clear_integers(plan, packed);
  for (std::uint32_t output = 0; output < plan.outputs; ++output, weight += plan.inputs) {
    if (has_multipliers(plan.type)) {
      pack_groups(plan, weight, packed, output);
    } else {
      pack_output(plan, weight, packed, output);
    }
  }
}

}  // namespace heed::detail

namespace heed {

Status pack_linear_quantized(const LinearPlan& plan, const std::int8_t* weight, const std::int8_t* multipliers,
                             const float* scales, const float* bias, std::span<std::byte> packed) noexcept {
  const Status status = detail::check_packing(plan, weight, bias, packed);
  if (status != Status::ok) return status;
  if (scales == nullptr) return Status::null_pointer;
  if (plan.row_bytes == 0) return Status::plan_mismatch;
  const bool has_multipliers = detail::has_multipliers(plan.type);
  if (has_multipliers && multipliers == nullptr) return Status::null_pointer;
  const std::size_t count = std::size_t{plan.outputs} * plan.inputs;
  const std::uint32_t groups = (plan.inputs + scale_group_size - 1) / scale_group_size;
  const bool nibbles = plan.type == DataType::int4_multipliers;
  for (std::size_t i = 0; i < count; ++i) {
    if (nibbles ? weight[i] < -8 || weight[i] > 7 : weight[i] == -128) return Status::bad_option;
  }
  for (std::size_t i = 0; has_multipliers && i < std::size_t{plan.outputs} * groups; ++i) {
    if (multipliers[i] < -63 || multipliers[i] > 63) return Status::bad_option;
  }
  std::byte* const to = packed.data();
  detail::clear_integers(plan, to);
  for (std::uint32_t output = 0; output < plan.outputs; ++output) {
    for (std::uint32_t i = 0; i < plan.inputs; ++i) detail::put_number(plan, to, output, i, *weight++);
    for (std::uint32_t g = 0; has_multipliers && g < groups; ++g) {
      detail::put_multiplier(plan, to, output, g, *multipliers++);
    }
    detail::linear_row(plan, to, output).scale<float>(0) = scales[output];
  }
  detail::pack_bias(plan, bias, to);
  return Status::ok;
}

}  // namespace heed
