// SPDX-License-Identifier: MIT
//
// Sums of products of integers: four outputs of one row or two, or two outputs of three rows or four.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <port.hpp>

#include "../detail/byte_tiles.hpp"
#include "../detail/four_rows.hpp"
#include "../detail/group_tiles.hpp"
#include "../detail/integer_tiles.hpp"
#include "../detail/long_rows.hpp"
#include "../detail/one_row.hpp"
#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 4;

/// The numbers of a block of a row, and the biases of its groups.
template <DataType rows>
struct BlockOfRow {
  const std::byte* numbers;
  const std::int32_t* biases;

  BlockOfRow(const IntegerProduct& product, std::uint32_t row) noexcept
      : numbers(product.row(row) + row_numbers_at + product.first / row_block * row_block_bytes<rows>),
        biases(reinterpret_cast<const std::int32_t*>(numbers + biases_at<rows>(product.inputs))) {}

  /// That of all groups, where weights have no multipliers.
  [[nodiscard]] std::int32_t bias(std::uint32_t inputs) const noexcept {
    return biases[(inputs - 1) / scale_group_size];
  }
};

/// The sums of one row and all groups, times their multipliers.
template <DataType weights, DataType rows>
void add_groups(const IntegerProduct& product, std::uint32_t row) noexcept {
  constexpr std::uint32_t word = weights == DataType::int4_multipliers ? 8 : 4;
  constexpr int shift = group_shift<weights, rows>;
  const BlockOfRow<rows> block(product, row);
  for (std::uint32_t output = 0; output < panel_width; output += 4) {
    const uint32x4_t at = WeightWords(product.weights + output * 4 + 256).at;
    GroupsOfFour from{at, block.numbers, block.biases, product.multipliers + output};
    int32x4_t sums = vdupq_n_s32(0);
    const std::uint32_t groups = product.inputs / scale_group_size;
    if (groups != 0) add_whole_groups<weights, rows>(from, groups, sums);
    if (const std::uint32_t left = product.inputs % scale_group_size; left != 0) {
      WeightWords words(nullptr);
      words.at = vsubq_n_u32(from.at, 256);
      int32x4_t group = four_integer_sums<weights, rows>(words, from.x, left / word);
      group = vaddq_n_s32(group, block.biases[groups]);
      if constexpr (shift != 0) group = vrshrq_n_s32(group, shift);
      sums = vaddq_s32(sums, vmulq_s32(group, port::load_widened(from.multipliers)));
    }
    vst1q_s32(product.sums + row * panel_width + output, sums);
  }
}

/// The sums of one row and inputs of 8 bits.
[[gnu::noinline]] inline void add_bytes_of_row(const std::byte* weights, const std::byte* x, std::uint32_t inputs,
                                               std::int32_t* sums) noexcept {
  const std::uint32_t whole = inputs / inputs_at_once * inputs_at_once;
  sums_of_row(weights, x, whole / inputs_at_once, sums);
  if (whole == inputs) return;
  add_one_row<DataType::int8>(WeightWords(weights + std::size_t{whole} * panel_width), x + whole, (inputs - whole) / 4,
                              sums);
}

/// Those of three rows.
[[gnu::noinline]] inline void add_bytes_of_three(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                                 std::uint32_t inputs, std::int32_t* sums) noexcept {
  const std::uint32_t times = inputs / inputs_at_once;
  const std::uint32_t left = inputs % inputs_at_once;
  if (times != 0) {
    three_rows_of_64s(weights, x, row_bytes, times, sums);
    if (left == 0) return;
    weights += times * weight_bytes_at_once;
    x += times * inputs_at_once;
  } else {
    for (std::uint32_t i = 0; i < 3 * panel_width; i += 4) vst1q_s32(sums + i, vdupq_n_s32(0));
  }
  add_three_rows<DataType::int8>(WeightWords(weights), x, row_bytes, left / 4, sums);
}

/// How many of the rows that are left are taken at once: four or three where that leaves none for one at a time.
[[nodiscard]] constexpr std::uint32_t rows_at_once(std::uint32_t left, bool fours) noexcept {
  if (left < 3) return 1;
  if (!fours) return 3;
  return left % 4 == 0 || left == 5 ? 4 : 3;
}

/// The sums of so many rows of 8 bits: four of multiples of 64 inputs, three or one.
inline void add_rows_of_bytes(std::uint32_t rows, const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                              std::uint32_t inputs, std::int32_t* sums) noexcept {
  if (rows == 4) return four_rows_of_64s(weights, x, row_bytes, inputs / inputs_at_once, sums);
  if (rows == 3) return add_bytes_of_three(weights, x, row_bytes, inputs, sums);
  add_bytes_of_row(weights, x, inputs, sums);
}

/// Rows and weights of 8 bits.
inline void add_short_rows(const IntegerProduct& product) noexcept {
  const std::byte* x = BlockOfRow<DataType::int8>(product, 0).numbers;
  std::int32_t* sums = product.sums;
  for (std::uint32_t left = product.rows; left != 0;) {
    const std::uint32_t rows = rows_at_once(left, product.inputs % inputs_at_once == 0);
    add_rows_of_bytes(rows, product.weights, x, product.row_bytes, product.inputs, sums);
    left -= rows;
    x += rows * product.row_bytes;
    sums += rows * panel_width;
  }
}

/// Rows of 16 bits and weights of 8 bits.
inline void add_long_rows(const IntegerProduct& product) noexcept {
  const WeightWords words(product.weights);
  const std::uint32_t count = product.inputs / 4;
  const bool whole = product.inputs % 16 == 0;
  const bool four = product.rows == 4 && whole;
  const bool two = product.rows == 2 && whole;
  const std::uint32_t together = four || two ? product.rows : product.rows >= 3 ? 3 : 0;
  for (std::uint32_t row = 0; row < product.rows; ++row) {
    const BlockOfRow<DataType::int16> block(product, row);
    std::int32_t* const sums = product.sums + row * panel_width;
    const int32x4_t bias = vdupq_n_s32(block.bias(product.inputs));
    for (std::uint32_t output = 0; output < panel_width; output += 4) vst1q_s32(sums + output, bias);
    if (row >= together) add_one_row<DataType::int16>(words, block.numbers, count, sums, product.outputs);
  }
  const std::byte* const first = BlockOfRow<DataType::int16>(product, 0).numbers;
  if (four) {
    add_four_long_rows(product.weights, first, product.row_bytes, product.inputs, product.outputs, product.sums);
  } else if (two) {
    add_two_long_rows(product.weights, first, product.row_bytes, product.inputs, product.outputs, product.sums);
  } else if (together != 0) {
    add_three_rows<DataType::int16>(words, first, product.row_bytes, count, product.sums, product.outputs);
  }
}

/// product.sums [product.rows, 16].
template <DataType weights, DataType rows>
void integer_sums(const IntegerProduct& product) noexcept {
  asm volatile("" : : : "memory");
  if constexpr (weights != DataType::int8) {
    for (std::uint32_t row = 0; row < product.rows; ++row) add_groups<weights, rows>(product, row);
  } else if constexpr (rows == DataType::int8) {
    add_short_rows(product);
  } else {
    add_long_rows(product);
  }
  asm volatile("" : : : "memory");
}

}  // namespace heed::detail
