// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// Outputs at a time.
inline constexpr std::uint32_t integer_outputs = 8;

/// sums [8] of a run of `words` words of each output.
using IntegerRun = void(const std::byte* weights, const std::byte* run, std::uint32_t words,
                        std::int32_t* sums) noexcept;

/// Weights are loaded where they are used: compilers would load those of all outputs first, and spill them.
template <class Number>
[[gnu::always_inline]] inline void keep_order(const Number*& weights, std::uint32_t& sum) noexcept {
  asm("" : "+r"(weights), "+r"(sum));
}

}  // namespace heed::detail
