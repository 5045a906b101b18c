// SPDX-License-Identifier: MIT
#pragma once

#include <single_floats/detail/pair_by_products.hpp>

namespace heed::detail {

/// One pair of rotate_pairs(). A port may have its own.
[[gnu::always_inline]] inline void rotate_pair(float x, float y, float cosine, float sine, float& to_x,
                                               float& to_y) noexcept {
  rotate_by_products(x, y, cosine, sine, to_x, to_y);
}

}  // namespace heed::detail
