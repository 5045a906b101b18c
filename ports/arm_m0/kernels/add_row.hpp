// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <single_operations.hpp>

namespace heed::detail {

/// to += from, `count` numbers each.
inline void add_row(const float* from, std::size_t count, float* to) noexcept {
#pragma GCC unroll 1
  for (; count != 0; --count, ++to) *to = port::sum(*to, *from++);
}

}  // namespace heed::detail
