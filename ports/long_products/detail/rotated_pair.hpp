// SPDX-License-Identifier: MIT
#pragma once

#include <long_products/top_sums.hpp>
#include <single_floats/detail/pair_by_products.hpp>
#include <soft_floats/detail/pair_that_stays.hpp>

namespace heed::detail {

/// A pair of the first token is copied; normal products and their sums take no calls.
[[gnu::always_inline]] inline void rotate_pair(float x, float y, float cosine, float sine, float& to_x,
                                               float& to_y) noexcept {
  float x_cosine;
  float y_sine;
  float y_cosine;
  float x_sine;
  if (stay(x, y, cosine, sine)) {
    to_x = x;
    to_y = y;
  } else if (port::multiply_normal<port::integer_unit>(y, sine, y_sine) &&
             port::multiply_normal<port::integer_unit>(x, sine, x_sine) &&
             port::multiply_normal<port::integer_unit>(x, cosine, x_cosine) &&
             port::multiply_normal<port::integer_unit>(y, cosine, y_cosine)) {
    to_x = port::sum_here<port::integer_unit>(x_cosine, -y_sine);
    to_y = port::sum_here<port::integer_unit>(y_cosine, x_sine);
  } else {
    rotate_by_products(x, y, cosine, sine, to_x, to_y);
  }
}

}  // namespace heed::detail
