// SPDX-License-Identifier: MIT
//
// How a row of integers lies in memory while products read it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// The greatest magnitude of a row's integers.
template <DataType rows>
inline constexpr float most_of_rows = rows == DataType::int8 ? 127.0F : 16383.0F;

/// The scale of a row, before its numbers.
inline constexpr std::size_t row_numbers_at = 16;

/// x * factor rounded to nearest even, within -2^21..2^21: the low bits of what an addition leaves.
[[nodiscard]] inline std::int32_t round_number(float x, float factor) noexcept {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23
  return static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(x * factor + shift) -
                                   std::bit_cast<std::uint32_t>(shift));
}

template <DataType rows>
struct RowNumbers;
template <>
struct RowNumbers<DataType::int8> {
  using Number = std::int8_t;
};
template <>
struct RowNumbers<DataType::int16> {
  using Number = std::int16_t;
};

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32: bytes or pairs of bytes, in order. A row
/// of zeros has no other bytes than 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  auto* const to = reinterpret_cast<typename RowNumbers<rows>::Number*>(row + row_numbers_at);
  using Number = typename RowNumbers<rows>::Number;
  std::uint32_t i = 0;
  for (; i < inputs; ++i) to[i] = static_cast<Number>(round_number(x[i], factor));
  for (; i % scale_group_size != 0; ++i) to[i] = 0;
}

}  // namespace heed::detail
