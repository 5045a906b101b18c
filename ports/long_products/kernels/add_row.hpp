// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <detail/row_sums.hpp>

namespace heed::detail {

/// to += from, `count` numbers each.
[[gnu::noinline]] inline void add_row(const float* from, std::size_t count, float* to) noexcept {
  add_rows<1>(to, from, count, to);
}

}  // namespace heed::detail
