// SPDX-License-Identifier: MIT
//
// Where packed weights are written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/quantize.hpp"
#include "heed/linear.hpp"

namespace heed::detail {

/// Writes a bias, or zeros for null.
void pack_bias(const LinearPlan& plan, const float* bias, std::byte* packed) noexcept;

/// pack_linear() of float32 after its checks, apart from the other types: a program that packs no others links no
/// rounding.
void pack_floats(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

/// pack_linear() of every other type after its checks.
void pack_rounded(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

/// Whether a matrix has numbers other than 0 and each of them would be stored as 0.
[[nodiscard]] bool is_lost(const LinearPlan& plan, const float* weight) noexcept;

[[nodiscard]] inline StoredRow linear_row(const LinearPlan& plan, std::byte* packed, std::uint32_t output) noexcept {
  const std::size_t panel = output / panel_width;
  const std::size_t lane = output % panel_width;
  const auto inputs = static_cast<std::size_t>(packed_inputs(plan.row_type, plan.inputs));
  const std::size_t panel_bytes = inputs * vector_bytes(plan.type);
  const auto scale_bytes = static_cast<std::size_t>(panel_scale_bytes(plan.type, plan.inputs));
  return {packed + plan.weights.offset + panel * panel_bytes, packed + plan.scales.offset + panel * scale_bytes, lane,
          panel_width};
}

/// q = 0 and scale = 0 everywhere, in lanes without an output as well.
inline void clear_weights(const LinearPlan& plan, std::byte* packed) noexcept {
  const std::byte zero{plan.type == DataType::int4_groups ? std::uint8_t{0x88} : std::uint8_t{0}};
  for (std::uint32_t i = 0; i < plan.weights.bytes; ++i) packed[plan.weights.offset + i] = zero;
  for (std::uint32_t i = 0; i < plan.scales.bytes; ++i) packed[plan.scales.offset + i] = std::byte{0};
}

}  // namespace heed::detail
