// SPDX-License-Identifier: MIT
#include <kernels/transpose.hpp>

#include "product/pack_linear.hpp"

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

}  // namespace heed::detail
