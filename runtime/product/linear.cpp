// SPDX-License-Identifier: MIT
//
// Linear layers.
#include "product/linear.hpp"

#include <kernels/panel_pairs.hpp>
#include <kernels/rows_of_products.hpp>

#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"
#include "heed/linear.hpp"
#include "product/gemm.hpp"
#include "product/linear_check.hpp"

namespace heed::detail {

#ifdef __ELF__
/// Of floats, where they are named (heed/detail/linked_code.hpp).
// NOLINTNEXTLINE(readability-redundant-declaration)
[[gnu::weak]] void multiply(Gemm& product) noexcept;
#endif

namespace {

/// Inputs taken at a time: a panel of 256 is 16 KiB and stays in a first-level cache while the rows pass by. A pair of
/// panels is read half as often, and one of 1024 stays in the second-level cache.
constexpr std::uint32_t depth_step = panels_at_once == 2 ? 1024 : 256;

/// Into how many shares a product's panels are cut; a share's number times the panels has 32 bits.
[[nodiscard]] constexpr std::uint32_t shares_of_panels(std::uint32_t panels, std::uint32_t workers) noexcept {
  if constexpr (long_product_shares != 1) {
    constexpr std::uint32_t most_panels = 0xFFFFFFFFU / (max_workers * long_product_shares);
    const bool is_long = panels / workers >= long_product && panels <= most_panels;
    if (workers > 1 && is_long) return workers * long_product_shares;
  }
  return panels < workers ? panels : workers;
}

void multiply_floats(const LinearShare& share) noexcept {
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

}  // namespace

void load_embedding_row(const LinearPlan& plan, const std::byte* packed, const Format* format, std::uint32_t output,
                        float* to) noexcept {
  const std::size_t panel = output / panel_width;
  const std::size_t lane = output % panel_width;
  const auto inputs = static_cast<std::size_t>(packed_inputs(plan.row_type, plan.inputs));
  const std::byte* const weights = packed + plan.weights.offset + panel * inputs * vector_bytes(plan.type);
  if (format != nullptr) {
    const auto scale_bytes = static_cast<std::size_t>(panel_scale_bytes(plan.type, plan.inputs));
    const std::byte* const scales = packed + plan.scales.offset + panel * scale_bytes;
    format->dequantize_lane(weights, scales, static_cast<int>(lane), plan.inputs, to);
    return;
  }
  const auto* const from = reinterpret_cast<const float*>(weights);
  for (std::size_t i = 0; i < plan.inputs; ++i) to[i] = from[i * panel_width + lane];
}

void Linear::multiply(const LinearPlan& plan, const Rows<const float>& x, std::uint32_t rows, const Rows<float>& y,
                      bool same_rows) const noexcept {
  if (format != nullptr && format->round != nullptr && !same_rows) {
    format->round(plan, x.data, used_stride(rows, x.stride), rows, reinterpret_cast<std::byte*>(staging));
  }
  const std::uint32_t panels = (plan.outputs + panel_width - 1) / panel_width;
  const std::uint32_t shares = shares_of_panels(panels, workers);
  // Out of line, because an executor's tasks call it, too.
  const auto multiply_share = [&](std::uint32_t worker, std::uint32_t share) __attribute__((noinline)) {
    const LinearShare part{plan,
                           packed,
                           {x.data, used_stride(rows, x.stride)},
                           {y.data, used_stride(rows, y.stride)},
                           staging + worker * (plan.staging_bytes / sizeof(float)),
                           rows,
                           share * panels / shares,
                           (share + 1) * panels / shares};
    format == nullptr ? multiply_floats(part) : format->multiply(*format, part);
  };
  parallel_for_each(executor, workers, shares, multiply_share);
}

void Linear::round([[maybe_unused]] const LinearPlan& plan, [[maybe_unused]] const Rows<const float>& x,
                   [[maybe_unused]] std::uint32_t rows) const noexcept {
  if constexpr (least_row_share != 0) {
    if (format == nullptr || format->round == nullptr) return;
    format->round(plan, x.data, used_stride(rows, x.stride), rows, reinterpret_cast<std::byte*>(staging));
  }
}

void Linear::multiply_share(const LinearPlan& plan, const Rows<const float>& x, std::uint32_t rows,
                            const Rows<float>& y, std::uint32_t worker, std::uint32_t share) const noexcept {
  if constexpr (least_row_share != 0) {
    const LinearShare part{plan,
                           packed,
                           {x.data, used_stride(rows, x.stride)},
                           {y.data, used_stride(rows, y.stride)},
                           staging + worker * (plan.staging_bytes / sizeof(float)),
                           rows,
                           first_output(plan, share) / panel_width,
                           (first_output(plan, share + 1) + panel_width - 1) / panel_width};
    if (part.first == part.end) return;
    format == nullptr ? multiply_floats(part) : format->multiply(*format, part);
  }
}

}  // namespace heed::detail
