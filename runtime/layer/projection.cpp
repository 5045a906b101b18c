// SPDX-License-Identifier: MIT
#include "layer/projection.hpp"

#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "gemm/multiply.hpp"

namespace heed::detail {
namespace {

/// Inputs taken at a time: a panel of this depth is 16 KiB and stays in a first-level cache while the rows pass by.
constexpr std::uint32_t depth_step = 256;

}  // namespace

void project(const ProjectionPlan& plan, const std::byte* weights, Rows<const float> x, std::uint32_t rows,
             Rows<float> y, const Executor& executor, std::uint32_t workers) noexcept {
  const auto* panels = reinterpret_cast<const float*>(weights + plan.panels.offset);
  const auto* bias = reinterpret_cast<const float*>(weights + plan.bias.offset);
  x.stride = used_stride(rows, x.stride);
  y.stride = used_stride(rows, y.stride);
  const std::uint32_t panel_count = (plan.outputs + panel_width - 1) / panel_width;
  const std::uint32_t shares = panel_count < workers ? panel_count : workers;

  parallel_for_each(executor, workers, shares, [=, &plan](std::uint32_t, std::uint32_t share) noexcept {
    const auto first = share * panel_count / shares * panel_width;
    const auto end = (share + 1) * panel_count / shares * panel_width;
    const auto depth = static_cast<std::ptrdiff_t>(plan.inputs);
    const std::uint32_t columns = (end < plan.outputs ? end : plan.outputs) - first;
    for (std::uint32_t k = 0; k < plan.inputs; k += depth_step) {
      const std::uint32_t depth_left = plan.inputs - k;
      float* to = y.data + first;
      multiply({.a = x.data + k,
                .a_row = x.stride,
                .a_step = 1,
                .b = panels + static_cast<std::ptrdiff_t>(first) * depth + std::size_t{k} * panel_width,
                .b_panel = depth * std::ptrdiff_t{panel_width},
                .b_step = panel_width,
                .c = to,
                .c_row = y.stride,
                .c_panel = panel_width,
                .start = k == 0 ? bias + first : to,
                .start_row = k == 0 ? 0 : y.stride,
                .rows = rows,
                .columns = columns,
                .depth = depth_left < depth_step ? depth_left : depth_step});
    }
  });
}

}  // namespace heed::detail
