// SPDX-License-Identifier: MIT
//
// Eight outputs, eight inputs at a time: three instructions for a product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <riscv_f/detail/integer_run.hpp>

namespace heed::detail {

/// Even inputs are bytes with a bias; an even number of words.
[[gnu::noinline]] inline void sums_of_bytes(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                            std::int32_t* to) noexcept {
  const auto* w = reinterpret_cast<const std::int8_t*>(weights);
  const auto* x = reinterpret_cast<const std::int16_t*>(run + sizeof(std::int32_t));
  const std::int16_t* const end = x + words * 4;
  std::uint32_t sums[integer_outputs];  // which may wrap on the way
#pragma GCC unroll 8
  for (std::uint32_t& sum : sums) sum = *reinterpret_cast<const std::uint32_t*>(run);
  do {
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < 8; i += 2) {
      const std::uint32_t at = i / 4 * 64 + i % 4;
#pragma GCC unroll 8
      for (std::uint32_t n = 0; n < integer_outputs; ++n) {
        sums[n] += static_cast<std::uint32_t>(static_cast<std::uint8_t>(w[n * 4 + at]) * x[i]);
        sums[n] += static_cast<std::uint32_t>(w[n * 4 + at + 1] * x[i + 1]);
        keep_order(w, sums[n]);
      }
    }
    w += 128;
    x += 8;
  } while (x != end);
#pragma GCC unroll 8
  for (std::uint32_t n = 0; n < integer_outputs; ++n) to[n] = static_cast<std::int32_t>(sums[n]);
}

}  // namespace heed::detail
