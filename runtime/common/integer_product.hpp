// SPDX-License-Identifier: MIT
//
// What products of integers are, to the bit. A sum of integers is exact, so that its order is a port's own; what is
// rounded has an order:
//
//   q(i)  = x(i) * (most / greatest |x|) to nearest even, most = 127 or 16383; 0 where greatest |x| < 2^-100
//   scale = greatest |x| * (1 / most), or NaN if an x is infinite or NaN, and every q is 0
//   y     = bias, or 0
//   for each 1024 inputs, ascending:
//     sum = sum over i of q(i) w(i), and where weights have multipliers, sum over groups of 32 inputs of
//           m * ((sum over i of q(i) w(i) + 2^(shift - 1)) >> shift), shift = 0 for int8 rows
//     y   = y + float(sum) * (weight scale * (scale * 2^shift))
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/arena.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Inputs whose products are added up before they become a float.
inline constexpr std::uint32_t block_inputs = 1024;

/// Bits that a group's sum loses before it meets its multiplier, so that no sum of a block overflows.
template <DataType weights, DataType rows>
inline constexpr int group_shift = rows == DataType::int8 || weights == DataType::int8 ? 0
                                   : weights == DataType::int8_multipliers             ? 6
                                                                                       : 2;

template <int shift>
[[nodiscard]] constexpr std::int32_t shifted(std::int32_t sum) noexcept {
  if constexpr (shift == 0) {
    return sum;
  } else {
    return (sum + (1 << (shift - 1))) >> shift;
  }
}

/// The greatest magnitude of a block's sum.
[[nodiscard]] constexpr std::int64_t greatest_sum(std::int64_t weight, std::int64_t row, std::int64_t multiplier,
                                                  int shift) noexcept {
  const std::int64_t half = shift == 0 ? 0 : std::int64_t{1} << (shift - 1);
  const std::int64_t group = (std::int64_t{scale_group_size} * weight * row + half) >> shift;
  return group * multiplier * (block_inputs / scale_group_size);
}
inline constexpr std::int64_t most_int32 = 0x7FFFFFFF;
static_assert(greatest_sum(127, 16383, 1, 0) <= most_int32);
static_assert(greatest_sum(127, 127, 63, 0) <= most_int32);
static_assert(greatest_sum(8, 127, 63, 0) <= most_int32);
static_assert(greatest_sum(127, 16383, 63, group_shift<DataType::int8_multipliers, DataType::int16>) <= most_int32);
static_assert(greatest_sum(8, 16383, 63, group_shift<DataType::int4_multipliers, DataType::int16>) <= most_int32);

/// Number `k` of an output from the start of a block of its panel.
template <DataType weights>
[[nodiscard]] std::int32_t weight_number(const std::byte* panel, std::uint32_t k, std::uint32_t output) noexcept {
  if constexpr (weights == DataType::int4_multipliers) {
    const auto pair = static_cast<std::int32_t>(panel[k / 8 * 64 + output * 4 + k % 4]);
    return (k % 8 < 4 ? pair & 15 : pair >> 4) - 8;
  } else {
    const auto byte = static_cast<std::int32_t>(panel[k / 4 * 64 + output * 4 + k % 4]);
    if (k % 2 == 0) return byte - 128;
    return byte < 128 ? byte : byte - 256;
  }
}

/// Some rounded rows times a block of one panel.
struct IntegerProduct {
  const std::byte* weights;        ///< from the block's first input on
  const std::int8_t* multipliers;  ///< [groups, 16], likewise; null for weights without
  const std::byte* first_row;
  std::size_t row_bytes;
  std::uint32_t rows;                   ///< at most integer_rows
  std::uint32_t first;                  ///< the block's first input, a multiple of block_inputs
  std::uint32_t inputs;                 ///< of the block, a multiple of 8; numbers of a row that no input has are 0
  std::uint32_t outputs = panel_width;  ///< at most 16: how many sums of a row are wanted; others may be anything
  std::int32_t* sums;                   ///< [rows, 16]

  [[nodiscard]] const std::byte* row(std::uint32_t number) const noexcept { return first_row + number * row_bytes; }
};

/// Rounded rows times panels of int8 weights: y = bias + float(sum) * (scale * scale of the row).
struct MatrixProduct {
  const std::byte* weights;  ///< [panels][inputs, 16]
  const float* scales;       ///< [panels, 16]
  const float* bias;         ///< [outputs], or null: 0
  const std::byte* rows;
  std::size_t row_bytes;
  std::uint32_t count;   ///< of rows
  std::uint32_t inputs;  ///< a multiple of 8; at most most_matrix_inputs of a matrix
  std::uint32_t outputs;
  float* y;
  std::ptrdiff_t y_row;  ///< floats from a row of y to the next one
};

/// Rounded weights of some rows, and the values of all keys that they see.
struct ValueProduct {
  const std::byte* values;   ///< of the first sixteen channels
  std::size_t panel_bytes;   ///< from there to those of the next sixteen
  const std::byte* weights;  ///< rows of 16 bits, not joined
  std::size_t row_bytes;
  std::uint32_t rows;
  std::uint32_t keys;      ///< a multiple of 16
  std::uint32_t channels;  ///< of a value
  float* result;           ///< [rows, width]
  std::uint32_t width;     ///< `channels` rounded up to a multiple of 16; what is after those may be anything
};

/// What the scores of a row of attention have come to.
struct WeighedRow {
  float maximum;          ///< of those that it sees
  float sum = 0.0F;       ///< of the weights so far, which is exact
  float greatest = 0.0F;  ///< of p so far, or NaN
};

}  // namespace heed::detail
