// SPDX-License-Identifier: MIT
//
// Sums of values and of weights most of which may be 0. A port that skips these takes values of few channels row by
// row.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "common/integer_product.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// Whether sum_sparse_values() is the faster way for the values of a key block, of so many channels, and its rows.
[[nodiscard]] constexpr bool takes_sparse_values(std::uint32_t /*channels*/, std::uint32_t /*rows*/) noexcept {
  return false;
}

/// sums [8] = sum over keys of p * factor, rounded to nearest even, times the key's value in the first eight channels;
/// p [fours * 4] may be lost.
inline void sum_sparse_values(float* p, std::uint32_t fours, const std::byte* values, std::int32_t* sums,
                              float factor) noexcept {
  constexpr float to_integer =
      12582912.0F;  // 1.5 * 2^23: the low bits of what is added to it are rounded to an integer
  for (std::uint32_t channel = 0; channel < 8; ++channel) {
    sums[channel] = 0;
    for (std::uint32_t key = 0; key < fours * 4; ++key) {
      const float rounded = port::product(p[key], factor) + to_integer;
      const std::int32_t weight = std::bit_cast<std::int32_t>(rounded) - std::bit_cast<std::int32_t>(to_integer);
      sums[channel] += weight * weight_number<DataType::int8>(values, key, channel);
    }
  }
}

}  // namespace heed::detail
