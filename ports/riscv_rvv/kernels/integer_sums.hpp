// SPDX-License-Identifier: MIT
//
// Sums of products of integers with widening multiply-adds: the weights that an input has in sixteen outputs, as 16
// bits each, times a number of a row, which comes from a scalar register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most: their sums take half of the registers, or a quarter of long ones.
inline constexpr std::uint32_t integer_rows = 4;

/// Lanes for the outputs of a panel.
using PanelSums = std::int32_t __attribute__((vector_size(64)));
using PanelWords = std::uint32_t __attribute__((vector_size(64)));
using PanelShorts = std::int16_t __attribute__((vector_size(32)));
using PanelUnsignedShorts = std::uint16_t __attribute__((vector_size(32)));
/// The same in memory, where numbers are aligned as they are.
using StoredPanelWords = std::uint32_t __attribute__((vector_size(64), aligned(1), may_alias));
using StoredPanelSums = std::int32_t __attribute__((vector_size(64), aligned(4), may_alias));
using StoredMultipliers = std::int8_t __attribute__((vector_size(16), aligned(1), may_alias));

/// The weights of eight inputs, from input k of a block on.
template <DataType weights>
[[gnu::always_inline]] inline void load_weights(const std::byte* from, std::size_t k, PanelShorts (&w)[8]) noexcept {
  constexpr int words = weights == DataType::int4_multipliers ? 1 : 2;
#pragma GCC unroll 2
  for (int i = 0; i < words; ++i) {
    PanelWords all = *reinterpret_cast<const StoredPanelWords*>(from + k * 8 * words + i * 64);
    if constexpr (words == 2) all ^= 0x00800080U;
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const auto pair = __builtin_convertvector(all >> (16 * half), PanelUnsignedShorts);
      PanelShorts* const to = w + i * 4 + half * 2;
      if constexpr (words == 2) {
        to[0] = PanelShorts(pair << 8) >> 8;
        to[1] = PanelShorts(pair) >> 8;
      } else {
        to[0] = PanelShorts(pair & 15) - 8;
        to[1] = PanelShorts(pair >> 8 & 15) - 8;
        to[4] = PanelShorts(pair >> 4 & 15) - 8;
        to[5] = PanelShorts(pair >> 12) - 8;
      }
    }
  }
}

/// The sums of some rows with inputs [k, end).
template <DataType weights, DataType rows, int Height>
[[gnu::always_inline]] inline void add_inputs(const std::byte* w, const std::byte* const (&x)[Height], std::size_t k,
                                              std::size_t end, PanelSums (&sums)[Height]) noexcept {
  using Number = typename RowNumbers<rows>::Number;
#pragma GCC unroll 8
  for (PanelSums& sum : sums) sum = PanelSums{};
  for (; k < end; k += 8) {
    PanelShorts eight[8];
    load_weights<weights>(w, k, eight);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
#pragma GCC unroll 8
      for (int r = 0; r < Height; ++r) {
        const std::int32_t number = reinterpret_cast<const Number*>(x[r])[k + static_cast<std::size_t>(i)];
        sums[r] += __builtin_convertvector(eight[i], PanelSums) * number;
      }
    }
  }
}

template <DataType weights, DataType rows, int Height>
void sum_tile(const IntegerProduct& product, std::uint32_t first_row) noexcept {
  const std::byte* x[Height];
#pragma GCC unroll 8
  for (int r = 0; r < Height; ++r) {
    x[r] = product.row(first_row + static_cast<std::uint32_t>(r)) + row_numbers_at +
           product.first * sizeof(typename RowNumbers<rows>::Number);
  }
  PanelSums total[Height]{};
  if constexpr (weights == DataType::int8) {
    add_inputs<weights, rows>(product.weights, x, 0, product.inputs, total);
  } else {
    const std::int8_t* multipliers = product.multipliers;
    for (std::size_t k = 0; k < product.inputs; k += scale_group_size, multipliers += panel_width) {
      const std::size_t left = product.inputs - k;
      PanelSums sums[Height];
      add_inputs<weights, rows>(product.weights, x, k,
                                k + (left < scale_group_size ? left : std::size_t{scale_group_size}), sums);
      constexpr int shift = group_shift<weights, rows>;
      const auto factors = __builtin_convertvector(*reinterpret_cast<const StoredMultipliers*>(multipliers), PanelSums);
#pragma GCC unroll 8
      for (int r = 0; r < Height; ++r) {
        if constexpr (shift != 0) sums[r] = (sums[r] + (1 << (shift - 1))) >> shift;
        total[r] += sums[r] * factors;
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Height; ++r) {
    const std::size_t row = first_row + static_cast<std::uint32_t>(r);
    *reinterpret_cast<StoredPanelSums*>(product.sums + row * panel_width) = total[r];
  }
}

/// product.sums [product.rows, 16].
template <DataType weights, DataType rows>
void integer_sums(const IntegerProduct& product) noexcept {
  std::uint32_t row = 0;
  for (; product.rows - row >= 4; row += 4) sum_tile<weights, rows, 4>(product, row);
  if (product.rows - row >= 2) {
    sum_tile<weights, rows, 2>(product, row);
    row += 2;
  }
  if (row < product.rows) sum_tile<weights, rows, 1>(product, row);
}

}  // namespace heed::detail
