// SPDX-License-Identifier: MIT
//
// A row of integers as riscv_f lays it out, two numbers at a time; what products with weights of 4 bits read is joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <riscv_f/detail/row_of_runs.hpp>

#include "../detail/rounded_numbers.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// What the types of weights and rows say of a run.
struct RunShape {
  std::uint32_t inputs;
  int places;   ///< of a unit in products whose sum with a half of it has 31 bits
  bool biased;  ///< all numbers meet a bias of 8, or every other one a bias of 128
  bool joined;  ///< for sums_of_groups()
};

template <DataType weights, DataType rows>
inline constexpr RunShape run_shape{.inputs = run_inputs<weights>,
                                    .places = rows == DataType::int8 ? 24 : 17,
                                    .biased = weights == DataType::int4_multipliers,
                                    .joined = weights == DataType::int4_multipliers&& rows == DataType::int8};

/// x [count] as integers, and their sums.
[[gnu::always_inline]] inline RoundedNumbers round_run(const float* x, float factor, std::uint32_t count, int places,
                                                       std::int16_t* to) noexcept {
  RoundedNumbers numbers(factor, places);
  const float* const begin = x;
  const float* const end = x + count;
  const float* const even_end = end - count % 2;
  while (x != end) {
    if (x != even_end) x = round_numbers(x, even_end, to + (x - begin), &numbers);
    // One or two that take the whole product.
    for (std::uint32_t n = 0; n < 2 && x != end; ++n, ++x) {
      const std::int32_t number = port::rounded_product<port::integer_unit>(*x, factor);
      to[x - begin] = static_cast<std::int16_t>(number);
      (n == 0 ? numbers.even : numbers.odd) += number;
    }
  }
  return numbers;
}

/// Numbers of a run of weights of 4 bits, four words for eight of them, for the nibbles of a word 2^0, 2^4, 2^8 and
/// 2^12 from where two of them lie 16 bits apart. What the whole word has been multiplied by is taken off the others.
[[gnu::noinline]] inline void join_numbers(std::int16_t* numbers, std::uint32_t count) noexcept {
  for (std::uint32_t i = 0; i < count; i += 8) {
    const auto pair = [x = numbers + i](int at) noexcept {
      return (static_cast<std::uint32_t>(x[at]) << 16) + static_cast<std::uint32_t>(x[at + 2]);
    };
    const std::uint32_t whole = pair(0);
    const std::uint32_t words[4] = {whole, pair(4) - (whole << 4), pair(1) - (whole << 8), pair(5) - (whole << 12)};
    auto* const to = reinterpret_cast<std::uint32_t*>(numbers + i);
    for (int n = 0; n < 4; ++n) to[n] = words[n];
  }
}

/// store_row() in one code for all types.
[[gnu::noinline]] inline void store_runs(const float* x, float factor, std::uint32_t inputs, std::byte* row,
                                         const RunShape& shape) noexcept {
  std::byte* run = row + row_numbers_at;
  while (inputs != 0) {
    const std::uint32_t count = inputs < shape.inputs ? inputs : shape.inputs;
    auto* const to = reinterpret_cast<std::int16_t*>(run + sizeof(std::int32_t));
    const RoundedNumbers numbers = round_run(x, factor, count, shape.places, to);
    std::uint32_t padded = count;
    if (padded % 2 != 0) to[padded++] = 0;
    for (; padded % scale_group_size != 0; padded += 2) *reinterpret_cast<std::uint32_t*>(to + padded) = 0;
    const std::int32_t bias = shape.biased ? (numbers.even + numbers.odd) * -8 : numbers.even * -128;
    auto& start = *reinterpret_cast<std::int32_t*>(run);
    start = bias;
    if (shape.joined) {
      start = static_cast<std::int32_t>((static_cast<std::uint32_t>(bias) << 16) + (1U << 15));
      join_numbers(to, padded);
    }
    x += count;
    run += run_bytes(count);
    inputs -= count;
  }
}

template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  store_runs(x, factor, inputs, row, run_shape<weights, rows>);
}

}  // namespace heed::detail
