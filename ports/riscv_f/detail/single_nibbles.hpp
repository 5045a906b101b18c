// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "integer_run.hpp"

namespace heed::detail {

/// Bytes of two nibbles with biases, whose inputs are 4 apart.
[[gnu::noinline]] inline void sums_of_nibbles(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                              std::int32_t* to) noexcept {
  const auto* w = reinterpret_cast<const std::uint8_t*>(weights);
  const auto* x = reinterpret_cast<const std::int16_t*>(run + sizeof(std::int32_t));
  const std::int16_t* const end = x + words * 8;
  std::uint32_t sums[integer_outputs];  // which may wrap on the way
#pragma GCC unroll 8
  for (std::uint32_t& sum : sums) sum = *reinterpret_cast<const std::uint32_t*>(run);
  do {
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < 4; ++i) {
#pragma GCC unroll 8
      for (std::uint32_t n = 0; n < integer_outputs; ++n) {
        const std::uint8_t pair = w[n * 4 + i];
        sums[n] += static_cast<std::uint32_t>((pair & 15) * x[i] + (pair >> 4) * x[i + 4]);
        keep_order(w, sums[n]);
      }
    }
    w += 64;
    x += 8;
  } while (x != end);
#pragma GCC unroll 8
  for (std::uint32_t n = 0; n < integer_outputs; ++n) to[n] = static_cast<std::int32_t>(sums[n]);
}

}  // namespace heed::detail
