// SPDX-License-Identifier: MIT
#pragma once

#include <single_floats/detail/pair_by_products.hpp>
#include <soft_floats/detail/pair_that_stays.hpp>

namespace heed::detail {

/// In code for speed a pair of the first token is copied.
[[gnu::always_inline]] inline void rotate_pair(float x, float y, float cosine, float sine, float& to_x,
                                               float& to_y) noexcept {
  if (!port::takes_support && stay(x, y, cosine, sine)) {
    to_x = x;
    to_y = y;
  } else {
    rotate_by_products(x, y, cosine, sine, to_x, to_y);
  }
}

}  // namespace heed::detail
