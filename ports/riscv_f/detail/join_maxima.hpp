// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// maxima [16] = the greater of them and `scores` [16], four at a time.
[[gnu::noinline]] inline void join_maxima(const float* scores, float* maxima) noexcept {
  const float* const end = scores + port::lanes;
#pragma GCC unroll 1
  for (; scores != end; scores += 4, maxima += 4) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      if (!(maxima[i] > scores[i])) maxima[i] = scores[i];
    }
  }
}

}  // namespace heed::detail
