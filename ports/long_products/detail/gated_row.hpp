// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// to = Function{}(from) * factors from the first number on, where a port has a loop of its own for that: how many are
/// left, of which the first takes more than that loop.
template <class Function>
[[nodiscard]] constexpr std::uint32_t gate_row(const float* /*from*/, const float* /*factors*/, std::uint32_t count,
                                               float* /*to*/) noexcept {
  return count;
}

}  // namespace heed::detail
