// SPDX-License-Identifier: MIT
#include "product/quantized_linear.hpp"

#include "format/format.hpp"
#include "product/gemm.hpp"
#include "product/linear.hpp"

namespace heed::detail {
namespace {

/// A share of packed weights, by panels.
struct QuantizedShare {
  const Format& format;
  const LinearShare& share;
  std::size_t panel_bytes = std::size_t{share.plan.inputs} * vector_bytes(format.type);
  std::size_t scale_bytes = static_cast<std::size_t>(panel_scale_bytes(format.type, share.plan.inputs));

  [[nodiscard]] const std::byte* weights(std::uint32_t panel) const noexcept {
    return share.packed + share.plan.weights.offset + panel * panel_bytes;
  }
  [[nodiscard]] const std::byte* scales(std::uint32_t panel) const noexcept {
    return share.packed + share.plan.scales.offset + panel * scale_bytes;
  }
  /// What the sums of a panel start from, with one row for all; null for 0.
  [[nodiscard]] const float* start(std::uint32_t panel) const noexcept {
    if (share.plan.bias.bytes == 0) return nullptr;
    return reinterpret_cast<const float*>(share.packed + share.plan.bias.offset) + std::size_t{panel} * panel_width;
  }
  [[nodiscard]] std::uint32_t columns(std::uint32_t panel) const noexcept {
    const std::uint32_t left = share.plan.outputs - panel * panel_width;
    return left < panel_width ? left : panel_width;
  }
  /// The product of all inputs from a panel on, but for B and the columns.
  [[nodiscard]] Gemm product(std::uint32_t panel) const noexcept {
    return {.a = share.x.data,
            .a_row = share.x.stride,
            .a_step = 1,
            .b = nullptr,
            .b_panel = static_cast<std::ptrdiff_t>(share.plan.inputs) * std::ptrdiff_t{panel_width},
            .b_step = panel_width,
            .c = share.y.data + std::size_t{panel} * panel_width,
            .c_row = share.y.stride,
            .c_panel = panel_width,
            .start = start(panel),
            .start_row = 0,
            .rows = share.rows,
            .columns = panel_width,
            .depth = share.plan.inputs};
  }
};

/// All panels but a last one of fewer columns, and then that one by way of a row of its own.
void multiply_in_registers(const QuantizedShare& quantized) noexcept {
  const LinearShare& share = quantized.share;
  const bool is_partial = quantized.columns(share.end - 1) != panel_width;
  const std::uint32_t whole = is_partial ? share.end - 1 : share.end;
  if (whole != share.first) {
    Gemm product = quantized.product(share.first);
    product.columns = (whole - share.first) * panel_width;
    quantized.format.multiply_panels(product, quantized.weights(share.first), quantized.scales(share.first));
  }
  if (!is_partial) return;
  float sums[rows_in_registers * panel_width];
  Gemm product = quantized.product(whole);
  product.columns = quantized.columns(whole);
  float* const to = product.c;
  product.c = sums;
  product.c_row = panel_width;
  quantized.format.multiply_panels(product, quantized.weights(whole), quantized.scales(whole));
  for (std::uint32_t row = 0; row < share.rows; ++row) {
    float* const y = to + static_cast<std::ptrdiff_t>(row) * share.y.stride;
    for (std::uint32_t i = 0; i < quantized.columns(whole); ++i) y[i] = sums[row * panel_width + i];
  }
}

/// Some inputs of one panel at a time, which all rows use while they lie in the first-level cache.
void multiply_staged(const QuantizedShare& quantized) noexcept {
  const LinearShare& share = quantized.share;
  const std::uint32_t inputs = share.plan.inputs;
  for (std::uint32_t panel = share.first; panel < share.end; ++panel) {
    Gemm product = quantized.product(panel);
    const std::byte* weights = quantized.weights(panel);
    const std::byte* scales = quantized.scales(panel);
    product.b = share.staging;
    product.columns = quantized.columns(panel);
    for (std::uint32_t k = 0; k < inputs; k += staged_inputs) {
      product.depth = inputs - k < staged_inputs ? inputs - k : staged_inputs;
      quantized.format.dequantize_panel(weights, scales, product.depth, share.staging);
      multiply(product);
      product.a += staged_inputs;
      product.start = product.c;
      product.start_row = product.c_row;
      weights += std::size_t{staged_inputs} * vector_bytes(quantized.format.type);
      if (has_groups(quantized.format.type)) {
        scales += std::size_t{staged_inputs / scale_group_size} * panel_width * sizeof(std::uint16_t);
      }
    }
  }
}

}  // namespace

void quantized_linear(const Format& format, const LinearShare& share) noexcept {
  const QuantizedShare quantized{format, share};
  share.rows <= rows_in_registers ? multiply_in_registers(quantized) : multiply_staged(quantized);
}

}  // namespace heed::detail
