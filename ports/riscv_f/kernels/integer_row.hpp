// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/round_number.hpp>
#include <port.hpp>

#include "../detail/row_of_runs.hpp"
#include "heed/format.hpp"

namespace heed::detail {

#ifdef __OPTIMIZE_SIZE__
#define HEED_INLINE_FOR_SPEED [[gnu::noinline]]
#else
#define HEED_INLINE_FOR_SPEED [[gnu::always_inline]] inline
#endif

/// store_row() of every type of rows.
template <DataType weights>
HEED_INLINE_FOR_SPEED void store_numbers(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  constexpr bool nibbles = weights == DataType::int4_multipliers;
  std::byte* run = row + row_numbers_at;
  while (inputs != 0) {
    const std::uint32_t count = inputs < run_inputs<weights> ? inputs : run_inputs<weights>;
    auto* const to = reinterpret_cast<std::int16_t*>(run + sizeof(std::int32_t));
    std::int32_t sum = 0;  // of the numbers that meet a bias
    std::uint32_t i = 0;
    const auto store_number = [&]() noexcept {
      const std::int32_t number = round_number(x[i], factor);
      to[i] = static_cast<std::int16_t>(number);
      if (nibbles || i % 2 == 0) sum += number;
      ++i;
    };
    while (!port::takes_small && i + 4 <= count) {
#pragma GCC unroll port::unrolled
      for (std::uint32_t n = 0; n < 4; ++n) store_number();
    }
    while (i < count) store_number();
    for (; i % scale_group_size != 0; ++i) to[i] = 0;
    *reinterpret_cast<std::int32_t*>(run) = -sum * (nibbles ? 8 : 128);
    x += count;
    run += run_bytes(count);
    inputs -= count;
  }
}

#undef HEED_INLINE_FOR_SPEED

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32. A row of zeros has no other bytes than
/// 0.
template <DataType weights, DataType>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  store_numbers<weights>(x, factor, inputs, row);
}

}  // namespace heed::detail
