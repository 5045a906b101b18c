// SPDX-License-Identifier: MIT
//
// Two weights of 4 bits in one multiplication: (v + 2^16 w) (y + 2^16 x) has v x + w y above 16 bits. Of a word of
// eight weights, that and what is below it have 15 bits and a sign, so that neither touches the other: 18 instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <riscv_f/detail/integer_run.hpp>

namespace heed::detail {

/// sums_of_nibbles() of a row of bytes.
[[gnu::noinline]] inline void sums_of_nibble_pairs(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                                   std::int32_t* to) noexcept {
  const auto* w = reinterpret_cast<const std::uint32_t*>(weights);
  const auto* x = reinterpret_cast<const std::int16_t*>(run + sizeof(std::int32_t));
  const std::int16_t* const end = x + words * 8;
  std::uint32_t sums[integer_outputs];  // which may wrap on the way
#pragma GCC unroll 8
  for (std::uint32_t& sum : sums) sum = *reinterpret_cast<const std::uint32_t*>(run);
  constexpr std::uint32_t pair = 0x000F000F;  // of weights, two inputs apart
  do {
    const auto numbers = [x](int at) noexcept {
      return (static_cast<std::uint32_t>(x[at]) << 16) + static_cast<std::uint32_t>(x[at + 2]);
    };
    const std::uint32_t even = numbers(0);
    const std::uint32_t odd = numbers(1);
    const std::uint32_t even_after = numbers(4);
    const std::uint32_t odd_after = numbers(5);
#pragma GCC unroll 8
    for (std::uint32_t n = 0; n < integer_outputs; ++n) {
      const std::uint32_t word = w[n];
      const std::uint32_t both = (word & pair) * even + (word >> 4 & pair) * even_after + (word >> 8 & pair) * odd +
                                 (word >> 12 & pair) * odd_after;
      sums[n] += static_cast<std::uint32_t>(static_cast<std::int32_t>(both + (1U << 15)) >> 16);
      keep_order(w, sums[n]);
    }
    w += 16;
    x += 8;
  } while (x != end);
#pragma GCC unroll 8
  for (std::uint32_t n = 0; n < integer_outputs; ++n) to[n] = static_cast<std::int32_t>(sums[n]);
}

}  // namespace heed::detail
