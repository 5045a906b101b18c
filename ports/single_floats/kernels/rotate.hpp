// SPDX-License-Identifier: MIT
//
// Rotation of pairs of columns, pair by pair, in one loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/rotated_pair.hpp>

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
    rotate_pair(x, y, cosine, sine, *to.x, *to.y);
    from.x += from.step;
    from.y += from.step;
    to.x += to.step;
    to.y += to.step;
  }
}

}  // namespace heed::detail
