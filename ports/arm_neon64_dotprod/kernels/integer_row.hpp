// SPDX-License-Identifier: MIT
//
// How a row of integers lies in memory: bytes in order, or for numbers of 16 bits two planes of each 32 inputs.
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
  return std::bit_cast<std::int32_t>(x * factor + shift) - std::bit_cast<std::int32_t>(shift);
}

/// The numbers of at most 32 inputs as low bytes, which have a sign, and what is left of 256ths, at most 64.
inline void store_planes(const float* x, float factor, std::uint32_t inputs, std::int8_t* to) noexcept {
  for (std::uint32_t i = 0; i < inputs; ++i) {
    const std::int32_t number = round_number(x[i], factor);
    to[i] = static_cast<std::int8_t>(number);
    to[i + scale_group_size] = static_cast<std::int8_t>((number + 128) >> 8);
  }
}

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32. A row of zeros has no other bytes than
/// 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  auto* to = reinterpret_cast<std::int8_t*>(row + row_numbers_at);
  if constexpr (rows == DataType::int8) {
    std::uint32_t i = 0;
    for (; i < inputs; ++i) to[i] = static_cast<std::int8_t>(round_number(x[i], factor));
    for (; i % scale_group_size != 0; ++i) to[i] = 0;
  } else {
    for (; inputs >= scale_group_size; inputs -= scale_group_size, x += scale_group_size, to += 2 * scale_group_size) {
      store_planes(x, factor, scale_group_size, to);
    }
    if (inputs != 0) {
      for (std::uint32_t i = 0; i < 2 * scale_group_size; ++i) to[i] = 0;
      store_planes(x, factor, inputs, to);
    }
  }
}

}  // namespace heed::detail
