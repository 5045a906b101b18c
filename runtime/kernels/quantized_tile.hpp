// SPDX-License-Identifier: MIT
//
// A product whose B is stored in few bits and dequantized in registers, for a few rows: a number is used too rarely
// then to pay for writing it down. And what writes it down for many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <kernels/quantized_numbers.hpp>
#include <port.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// Rows that are multiplied while B is dequantized: none where registers are so few that two rows take one panel at a
/// time.
inline constexpr std::uint32_t quantized_tile_rows = port::tile_panels(2) > 1 ? 2 : 0;

/// Rows x Panels sums from `first_panel` on, each a chain over ascending steps as in tile().
template <int Rows, int Panels, class Numbers>
void quantized_tile(const Gemm& product, const Numbers& numbers, std::ptrdiff_t first_panel) noexcept {
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, false>(product, 0, first_panel, 0, sums);
  const float* a = product.a;
  const std::ptrdiff_t b_panel = product.b_panel / Numbers::packed;
  const std::ptrdiff_t b_step = product.b_step / Numbers::packed;
  const auto* b = numbers.first + first_panel * b_panel;
  for (std::uint32_t step = 0; step < product.depth;) {
    decltype(numbers.factor(0, 0)) factors[std::size_t{Panels}];
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) factors[p] = numbers.factor(first_panel + p, step);
    const std::uint32_t end = product.depth - step < scale_group_size ? product.depth : step + scale_group_size;
    for (; step < end; ++step, a += product.a_step, b += b_step) {
      port::f32x16 weights[std::size_t{Rows}];
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) weights[r] = port::set(a[r * product.a_row]);
        // Panel by panel: all of them dequantized at once would push sums out of the registers.
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) {
        const port::f32x16 panel = numbers.at(b + p * b_panel, first_panel + p, step, factors[p]);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) sums.of[r][p] = port::fma(weights[r], panel, sums.of[r][p]);
      }
    }
  }
  store_sums<Rows, Panels, false>(product, 0, first_panel, 0, sums);
}

/// C = start + A B of at most quantized_tile_rows rows: product.b is not read, its strides count elements of `numbers`,
/// and C has room for round_up(columns, 16).
template <int Rows, class Numbers>
void multiply_stored_rows(const Gemm& product, const Numbers& numbers) noexcept {
  constexpr int at_once = quantized_tile_rows == 0 ? 1 : port::tile_panels(Rows);
  const auto panels = static_cast<std::ptrdiff_t>(round_up(product.columns, panel_width) / panel_width);
  std::ptrdiff_t panel = 0;
  for (; panel + at_once <= panels; panel += at_once) quantized_tile<Rows, at_once>(product, numbers, panel);
  for (; panel < panels; ++panel) quantized_tile<Rows, 1>(product, numbers, panel);
}

template <class Numbers>
void multiply_quantized(const Gemm& product, const Numbers& numbers) noexcept {
  if constexpr (quantized_tile_rows >= 2) {
    if (product.rows == 2) {
      multiply_stored_rows<2>(product, numbers);
      return;
    }
  }
  multiply_stored_rows<1>(product, numbers);
}

/// Floats [steps, 16] of one panel.
template <class Numbers>
void dequantize_panel(const Numbers& numbers, std::uint32_t steps, float* to) noexcept {
  const auto* from = numbers.first;
  for (std::uint32_t step = 0; step < steps;) {
    const auto factor = numbers.factor(0, step);
    const std::uint32_t end = steps - step < scale_group_size ? steps : step + scale_group_size;
    for (; step < end; ++step, from += port::lanes / Numbers::packed, to += panel_width) {
      port::store(to, numbers.at(from, 0, step, factor));
    }
  }
}

/// Floats [count] of bytes that share a scale; count is a multiple of 16.
inline void dequantize_row(const std::int8_t* from, float scale, std::uint32_t count, float* to) noexcept {
  const port::f32x16 factor = port::set(scale);
  for (std::uint32_t i = 0; i < count; i += panel_width) port::store(to + i, port::mul(load_int8(from + i), factor));
}

/// Floats [steps] of one lane of a panel.
template <class Numbers>
void dequantize_lane(const Numbers& numbers, int lane, std::uint32_t steps, float* to) noexcept {
  const auto* from = numbers.first;
  float lanes[panel_width];
  for (std::uint32_t step = 0; step < steps; ++step, from += port::lanes / Numbers::packed) {
    port::store(lanes, numbers.at(from, 0, step, numbers.factor(0, step)));
    to[step] = lanes[lane];
  }
}

}  // namespace heed::detail
