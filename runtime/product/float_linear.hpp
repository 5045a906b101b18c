// SPDX-License-Identifier: MIT
//
// Products with weights that are floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/panel_pairs.hpp>

#include "heed/arena.hpp"
#include "product/gemm.hpp"
#include "product/linear.hpp"

namespace heed::detail {

/// Inputs taken at a time: a panel of 256 is 16 KiB and stays in a first-level cache while the rows pass by. A pair of
/// panels is read half as often, and one of 1024 stays in the second-level cache.
constexpr std::uint32_t depth_step = panels_at_once == 2 ? 1024 : 256;

[[maybe_unused]] static void multiply_floats(const LinearShare& share) noexcept {
  const LinearPlan& plan = share.plan;
  const auto* panels = reinterpret_cast<const float*>(share.packed + plan.weights.offset);
  const auto* bias = plan.bias.bytes == 0 ? nullptr : reinterpret_cast<const float*>(share.packed + plan.bias.offset);
  const auto depth = static_cast<std::ptrdiff_t>(plan.inputs);
  const auto first = share.first * panel_width;
  const auto end = share.end * panel_width;
  const std::uint32_t columns = (end < plan.outputs ? end : plan.outputs) - first;
  for (std::uint32_t k = 0; k < plan.inputs; k += depth_step) {
    const std::uint32_t depth_left = plan.inputs - k;
    float* to = share.y.data + first;
    const float* start = bias == nullptr ? nullptr : bias + first;
    Gemm product{.a = share.x.data + k,
                 .a_row = share.x.stride,
                 .a_step = 1,
                 .b = panels + static_cast<std::ptrdiff_t>(first) * depth + std::size_t{k} * panel_width,
                 .b_panel = depth * std::ptrdiff_t{panel_width},
                 .b_step = panel_width,
                 .c = to,
                 .c_row = share.y.stride,
                 .c_panel = panel_width,
                 .start = k == 0 ? start : to,
                 .start_row = k == 0 ? 0 : share.y.stride,
                 .rows = share.rows,
                 .columns = columns,
                 .depth = depth_left < depth_step ? depth_left : depth_step};
    multiply(product);
  }
}

/// The same out of line, in code for size: linked where products of floats are named.
void multiply_floats_apart(const LinearShare& share) noexcept;

}  // namespace heed::detail
