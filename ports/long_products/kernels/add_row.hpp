// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <long_products/top_sums.hpp>

namespace heed::detail {

/// to += from, `count` numbers each.
[[gnu::noinline]] inline void add_row(const float* from, std::size_t count, float* to) noexcept {
#pragma GCC unroll 1
  for (; count != 0; --count, ++from, ++to) *to = port::added_here<port::integer_unit>(*to, *from);
}

}  // namespace heed::detail
