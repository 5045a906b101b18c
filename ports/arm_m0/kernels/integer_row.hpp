// SPDX-License-Identifier: MIT
//
// A row of integers as riscv_f lays it out, two numbers at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <riscv_f/kernels/integer_row.hpp>

#include "../detail/rounded_pairs.hpp"

namespace heed::detail {

using RoundPairs = const float*(const float* x, const float* end, std::int16_t* to, RoundedPairs* row) noexcept;

/// Runs of `inputs` numbers, whose biases all meet the bias of the weights, or every other one.
template <RoundPairs* round_pairs, std::uint32_t run, bool nibbles>
[[gnu::noinline]] void store_pairs(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(factor);
  const std::int32_t places = 276 - port::exponent_of(bits);
  RoundedPairs pairs{port::mantissa_of(bits) >> 16, bits & 255U, static_cast<std::uint32_t>(places), 0, 0};
  std::byte* start = row + row_numbers_at;
  while (inputs != 0) {
    const std::uint32_t count = inputs < run ? inputs : run;
    const float* const end = x + count;
    auto* to = reinterpret_cast<std::int16_t*>(start + sizeof(std::int32_t));
    pairs.even = pairs.odd = 0;
    while (x != end) {
      const float* const first = x;
      const auto left = static_cast<std::uint32_t>(end - x);
      if (places < 256 && left > 1) x = round_pairs(x, end - left % 2, to, &pairs);
      to += x - first;
      // What is left out, or has no other number beside it.
      for (int i = 0; i < 2 && x != end; ++i, ++x, ++to) {
        const std::int32_t number = port::rounded_product<port::integer_unit>(*x, factor);
        *to = static_cast<std::int16_t>(number);
        (i == 0 ? pairs.even : pairs.odd) += number;
      }
    }
    for (std::uint32_t i = count; i % scale_group_size != 0; ++i) *to++ = 0;
    *reinterpret_cast<std::int32_t*>(start) = nibbles ? (pairs.even + pairs.odd) * -8 : pairs.even * -128;
    start += run_bytes(count);
    inputs -= count;
  }
}

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
inline void store_row<DataType::int4_multipliers, DataType::int8>(const float* x, float factor, std::uint32_t inputs,
                                                                  std::byte* row) noexcept {
  store_pairs<round_byte_pairs, scale_group_size, true>(x, factor, inputs, row);
}
template <>
inline void store_row<DataType::int4_multipliers, DataType::int16>(const float* x, float factor, std::uint32_t inputs,
                                                                   std::byte* row) noexcept {
  store_pairs<round_short_pairs, scale_group_size, true>(x, factor, inputs, row);
}

}  // namespace heed::detail
