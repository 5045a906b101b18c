// SPDX-License-Identifier: MIT
//
// A row of integers as ports of scalar floats have it; rows that weights of int8 meet are stored two by two in code for
// speed, and only as many zeros after them as products read.
#pragma once

#include <riscv_f/kernels/integer_row.hpp>

#ifndef __OPTIMIZE_SIZE__

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../detail/rounded_pairs.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 8.
[[gnu::noinline]] inline void store_row_of_bytes(const float* x, float factor, std::uint32_t inputs,
                                                 std::byte* row) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(factor);
  PairRounding rounding{port::mantissa_of(bits), 284 - port::exponent_of(bits), 0};
  std::byte* run = row + row_numbers_at;
  while (inputs != 0) {
    const std::uint32_t count = inputs < run_inputs<DataType::int8> ? inputs : run_inputs<DataType::int8>;
    auto* to = reinterpret_cast<std::int16_t*>(run + sizeof(std::int32_t));
    const float* const end = x + count;
    rounding.sum = 0;
    for (std::uint32_t pairs = count / 2; pairs != 0;) {
      const std::uint32_t left = store_pairs(x, pairs, to, &rounding);
      x += (pairs - left) * 2;
      to += (pairs - left) * 2;
      if (left == 0) break;
      const std::int32_t number = round_number(*x++, factor);
      rounding.sum += number;
      *to++ = static_cast<std::int16_t>(number);
      *to++ = static_cast<std::int16_t>(round_number(*x++, factor));
      pairs = left - 1;
    }
    if (x != end) {
      const std::int32_t number = round_number(*x++, factor);
      rounding.sum += number;
      *to++ = static_cast<std::int16_t>(number);
    }
    for (std::uint32_t i = count; i % 8 != 0; ++i) *to++ = 0;
    *reinterpret_cast<std::int32_t*>(run) = -rounding.sum * 128;
    run += run_bytes(count);
    inputs -= count;
  }
}

template <>
inline void store_row<DataType::int8, DataType::int8>(const float* x, float factor, std::uint32_t inputs,
                                                      std::byte* row) noexcept {
  store_row_of_bytes(x, factor, inputs, row);
}
template <>
inline void store_row<DataType::int8, DataType::int16>(const float* x, float factor, std::uint32_t inputs,
                                                       std::byte* row) noexcept {
  store_row_of_bytes(x, factor, inputs, row);
}

}  // namespace heed::detail

#endif
