// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/sums_of_bytes.hpp>
#include <riscv_f/detail/integer_run.hpp>

namespace heed::detail {

/// sums_of_bytes() of a panel's first outputs, 16 at most; those of what is left of the last eight may be made as well.
[[gnu::always_inline]] inline void sums_of_outputs(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                                   std::uint32_t outputs, std::int32_t* to) noexcept {
  for (std::uint32_t output = 0; output < outputs; output += integer_outputs) {
    sums_of_bytes(weights + output * 4, run, words, to + output);
  }
}

}  // namespace heed::detail
