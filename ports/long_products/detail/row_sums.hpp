// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <long_products/top_sums.hpp>

namespace heed::detail {

/// to = a + b, [count]; b has the same distance from number to number as the others, or, with a step of 0, one number.
template <std::ptrdiff_t step>
[[gnu::always_inline]] inline void add_rows(const float* a, const float* b, std::size_t count, float* to) noexcept {
#pragma GCC unroll 1
  for (; count != 0; --count, ++a, b += step, ++to) *to = port::sum_here<port::integer_unit>(*a, *b);
}

}  // namespace heed::detail
