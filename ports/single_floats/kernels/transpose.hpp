// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// panel[d * 16 + r] = factor * rows[r][d], with 0 in the lanes r >= count: row by row, so that nothing is asked of a
/// single float.
[[gnu::noinline]] inline void to_panel(const float* const* rows, std::uint32_t count, std::uint32_t dim, float factor,
                                       float* panel) noexcept {
  for (std::uint32_t r = 0; r < 16; ++r) {
    float* to = panel + r;
    if (r >= count) {
      for (std::uint32_t d = 0; d < dim; ++d, to += 16) *to = 0.0F;
      continue;
    }
    const float* row = rows[r];
#pragma GCC unroll port::unrolled
    for (std::uint32_t d = 0; d < dim; ++d, to += 16) *to = port::product(factor, row[d]);
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
