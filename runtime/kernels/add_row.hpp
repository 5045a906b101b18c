// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <port.hpp>

namespace heed::detail {

/// to += from, `count` numbers each.
inline void add_row(const float* from, std::size_t count, float* to) noexcept {
  std::size_t i = 0;
  for (; i + port::lanes <= count; i += port::lanes)
    port::store(to + i, port::add(port::load(to + i), port::load(from + i)));
  for (; i < count; ++i) to[i] += from[i];
}

}  // namespace heed::detail
