// SPDX-License-Identifier: MIT
//
// A row of integers as riscv_f lays it out, two numbers at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <riscv_f/kernels/integer_row.hpp>

#include "../detail/rounded_pairs.hpp"
#include "../detail/sums_of_nibbles.hpp"

namespace heed::detail {

/// Runs of `run` numbers, which all meet the bias of the weights (nibbles), or every other one; nibbles meet bytes in
/// pairs.
template <RoundPairs* round_pairs, std::uint32_t run, bool nibbles>
[[gnu::noinline]] void store_pairs(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  RoundedPairs pairs = pairs_with(factor);
  std::byte* start = row + row_numbers_at;
  while (inputs != 0) {
    const std::uint32_t count = inputs < run ? inputs : run;
    auto* const to = reinterpret_cast<std::int16_t*>(start + sizeof(std::int32_t));
    pairs.even = pairs.odd = 0;
    round_numbers<round_pairs>(x, x + count, to, pairs, [factor](float number) noexcept {
      return port::rounded_product<port::integer_unit>(number, factor);
    });
    std::uint32_t end = count;
    if constexpr (port::takes_support) {
      for (; end % scale_group_size != 0; ++end) to[end] = 0;
    } else {
      using Word [[gnu::may_alias]] = std::uint32_t;
      if (end % 2 != 0) to[end++] = 0;
#pragma GCC unroll 1
      for (; end % scale_group_size != 0; end += 2) *reinterpret_cast<Word*>(to + end) = 0;
    }
    *reinterpret_cast<std::int32_t*>(start) = nibbles ? (pairs.even + pairs.odd) * -8 : pairs.even * -128;
    for (std::uint32_t i = 0; nibbles && round_pairs == round_byte_pairs && i < count; i += 8) pair_numbers(to + i);
    x += count;
    start += run_bytes(count);
    inputs -= count;
  }
}

// In code for size, number by number as riscv_f does, unless nibbles meet pairs.
#ifndef __OPTIMIZE_SIZE__
template <>
inline void store_row<DataType::int8, DataType::int8>(const float* x, float factor, std::uint32_t inputs,
                                                      std::byte* row) noexcept {
  store_pairs<round_byte_pairs, run_inputs<DataType::int8>, false>(x, factor, inputs, row);
}
template <>
inline void store_row<DataType::int8, DataType::int16>(const float* x, float factor, std::uint32_t inputs,
                                                       std::byte* row) noexcept {
  store_pairs<round_short_pairs, run_inputs<DataType::int8>, false>(x, factor, inputs, row);
}
template <>
inline void store_row<DataType::int4_multipliers, DataType::int16>(const float* x, float factor, std::uint32_t inputs,
                                                                   std::byte* row) noexcept {
  store_pairs<round_short_pairs, scale_group_size, true>(x, factor, inputs, row);
}
#endif
template <>
inline void store_row<DataType::int4_multipliers, DataType::int8>(const float* x, float factor, std::uint32_t inputs,
                                                                  std::byte* row) noexcept {
  store_pairs<round_byte_pairs, scale_group_size, true>(x, factor, inputs, row);
}

}  // namespace heed::detail
