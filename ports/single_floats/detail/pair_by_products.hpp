// SPDX-License-Identifier: MIT
#pragma once

#include <single_operations.hpp>

namespace heed::detail {

/// to_x = x * cosine - y * sine and to_y = y * cosine + x * sine.
[[gnu::always_inline]] inline void rotate_by_products(float x, float y, float cosine, float sine, float& to_x,
                                                      float& to_y) noexcept {
  to_x = port::difference(port::product(x, cosine), port::product(y, sine));
  to_y = port::sum(port::product(y, cosine), port::product(x, sine));
}

}  // namespace heed::detail
