// SPDX-License-Identifier: MIT
//
// Rotation of pairs of columns, pair by pair, in one loop without calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <long_products/top_sums.hpp>
#include <soft_floats/detail/pair_that_stays.hpp>

namespace heed::detail {

/// Pair i is x[i * step] and y[i * step].
template <class Float>
struct Pairs {
  Float* x;
  Float* y;
  std::ptrdiff_t step;
};

/// to.x = from.x * cosine - from.y * sine and to.y = from.y * cosine + from.x * sine. to is from, or apart from it.
inline void rotate_pairs(Pairs<const float> from, const float* cosines, const float* sines, std::uint32_t count,
                         Pairs<float> to) noexcept {
#pragma GCC unroll 1
  for (; count != 0; --count) {
    const float x = *from.x;
    const float y = *from.y;
    const float cosine = *cosines++;
    const float sine = *sines++;
    float x_cosine;
    float y_sine;
    float y_cosine;
    float x_sine;
    if (stay(x, y, cosine, sine)) {
      *to.x = x;
      *to.y = y;
    } else if (port::multiply_normal<port::integer_unit>(y, sine, y_sine) &&
               port::multiply_normal<port::integer_unit>(x, sine, x_sine) &&
               port::multiply_normal<port::integer_unit>(x, cosine, x_cosine) &&
               port::multiply_normal<port::integer_unit>(y, cosine, y_cosine)) {
      *to.x = port::added_here<port::integer_unit>(x_cosine, -y_sine);
      *to.y = port::added_here<port::integer_unit>(y_cosine, x_sine);
    } else {
      *to.x = port::difference(port::product(x, cosine), port::product(y, sine));
      *to.y = port::added(port::product(y, cosine), port::product(x, sine));
    }
    from.x += from.step;
    from.y += from.step;
    to.x += to.step;
    to.y += to.step;
  }
}

}  // namespace heed::detail
