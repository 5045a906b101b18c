// SPDX-License-Identifier: MIT
//
// Linear layers.
#include "product/linear.hpp"

#include <kernels/panel_pairs.hpp>
#include <kernels/rows_of_products.hpp>
#include <port.hpp>

#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"
#include "heed/linear.hpp"
#include "product/float_linear.hpp"
#include "product/gemm.hpp"
#include "product/linear_check.hpp"

namespace heed::detail {

#ifdef __ELF__
/// The code for floats, null in a program that does not name it (heed/detail/linked_code.hpp).
// NOLINTBEGIN(readability-redundant-declaration)
[[gnu::weak]] void multiply(Gemm& product) noexcept;
[[gnu::weak]] void multiply_floats_apart(const LinearShare& share) noexcept;
// NOLINTEND(readability-redundant-declaration)
#endif

namespace {

/// Into how many shares a product's panels are cut; a share's number times the panels has 32 bits.
[[nodiscard]] constexpr std::uint32_t shares_of_panels(std::uint32_t panels, std::uint32_t workers) noexcept {
  if constexpr (long_product_shares != 1) {
    constexpr std::uint32_t most_panels = 0xFFFFFFFFU / (max_workers * long_product_shares);
    const bool is_long = port::whole_quotient(panels, workers) >= long_product && panels <= most_panels;
    if (workers > 1 && is_long) return workers * long_product_shares;
  }
  return panels < workers ? panels : workers;
}

#ifdef __OPTIMIZE_SIZE__
constexpr auto* multiply_float_share = multiply_floats_apart;
#else
constexpr auto* multiply_float_share = multiply_floats;
#endif

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
                           port::whole_quotient(share * panels, shares),
                           port::whole_quotient((share + 1) * panels, shares)};
    format == nullptr ? multiply_float_share(part) : format->multiply(*format, part);
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
    format == nullptr ? multiply_float_share(part) : format->multiply(*format, part);
  }
}

}  // namespace heed::detail
