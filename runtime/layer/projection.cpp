// SPDX-License-Identifier: MIT
#include "layer/projection.hpp"

#include "common/parallel_for.hpp"
#include "gemm/multiply.hpp"

namespace heed::detail {
namespace {

/// Inputs taken at a time: a panel of this depth is 16 KiB and stays in a first-level cache while the rows pass by.
constexpr std::uint32_t depth_step = 256;
/// Rows taken at a time: their inputs of one depth step are 120 KiB and stay in a second-level cache while the panels
/// pass by. A multiple of every port's tile.
constexpr std::uint32_t row_step = 120;

}  // namespace

void project(const ProjectionPlan& plan, const std::byte* weights, Rows<const float> x, std::uint32_t rows,
             Rows<float> y, const Executor& executor, std::uint32_t workers) noexcept {
  const auto* panels = reinterpret_cast<const float*>(weights + plan.panels.offset);
  const auto* bias = reinterpret_cast<const float*>(weights + plan.bias.offset);
  const auto depth = static_cast<std::ptrdiff_t>(plan.inputs);
  const std::uint32_t panel_count = (plan.outputs + panel_width - 1) / panel_width;
  const std::uint32_t shares = panel_count < workers ? panel_count : workers;

  parallel_for_each(executor, workers, shares, [&](std::uint32_t, std::uint32_t share) noexcept {
    const auto first = share * panel_count / shares * panel_width;
    const auto end = (share + 1) * panel_count / shares * panel_width;
    const std::uint32_t columns = (end < plan.outputs ? end : plan.outputs) - first;
    for (std::uint32_t row = 0; row < rows; row += row_step) {
      for (std::uint32_t k = 0; k < plan.inputs; k += depth_step) {
        const std::uint32_t rows_left = rows - row;
        const std::uint32_t depth_left = plan.inputs - k;
        const float* from = x.data + static_cast<std::ptrdiff_t>(row) * x.stride + k;
        float* to = y.data + static_cast<std::ptrdiff_t>(row) * y.stride + first;
        multiply({.a = from,
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
                  .rows = rows_left < row_step ? rows_left : row_step,
                  .columns = columns,
                  .depth = depth_left < depth_step ? depth_left : depth_step});
      }
    }
  });
}

}  // namespace heed::detail
