// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "sums_of_bytes.hpp"

namespace heed::detail {

/// Up to eight outputs; in code for speed no more than four where that is enough.
[[gnu::always_inline]] inline void sums_of_few(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                               std::uint32_t outputs, std::int32_t* to) noexcept {
  if (!port::for_size && outputs <= 4) {
    four_sums_of_bytes(weights, run, words, to);
  } else {
    sums_of_bytes(weights, run, words, to);
  }
}

/// sums_of_bytes() of a panel's first outputs, 16 at most; those of what is left of the last eight, or in code for
/// speed of the last four, may be made as well.
[[gnu::always_inline]] inline void sums_of_outputs(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                                   std::uint32_t outputs, std::int32_t* to) noexcept {
  if (outputs > 8) {
    sums_of_bytes(weights, run, words, to);
    sums_of_few(weights + 32, run, words, outputs - 8, to + 8);
  } else if (outputs != 0) {
    sums_of_few(weights, run, words, outputs, to);
  }
}

}  // namespace heed::detail
