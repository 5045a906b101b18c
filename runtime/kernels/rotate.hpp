// SPDX-License-Identifier: MIT
//
// Rotation of pairs of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Pair i is x[i * step] and y[i * step].
template <class Float>
struct Pairs {
  Float* x;
  Float* y;
  std::ptrdiff_t step;
};

/// `count` floats, at most sixteen, that lie `step` elements apart.
[[nodiscard]] inline port::f32x16 gather(const float* from, std::ptrdiff_t step, std::uint32_t count) noexcept {
  if (step == 1) return count == port::lanes ? port::load(from) : port::load_partial(from, static_cast<int>(count));
  float values[port::lanes] = {};
  for (std::uint32_t i = 0; i < count; ++i) values[i] = from[static_cast<std::ptrdiff_t>(i) * step];
  return port::load(values);
}

inline void scatter(float* to, std::ptrdiff_t step, std::uint32_t count, const port::f32x16& v) noexcept {
  if (step == 1) {
    if (count == port::lanes) return port::store(to, v);
    return port::store_partial(to, v, static_cast<int>(count));
  }
  float values[port::lanes];
  port::store(values, v);
  for (std::uint32_t i = 0; i < count; ++i) to[static_cast<std::ptrdiff_t>(i) * step] = values[i];
}

/// to.x = from.x * cosine - from.y * sine and to.y = from.y * cosine + from.x * sine, every operation rounded, for
/// `count` pairs, 1..16. to is from, or apart from it.
inline void rotate_pairs(const Pairs<const float>& from, const float* cosines, const float* sines, std::uint32_t count,
                         const Pairs<float>& to) noexcept {
  using namespace port;
  const f32x16 x = gather(from.x, from.step, count);
  const f32x16 y = gather(from.y, from.step, count);
  const f32x16 cosine = gather(cosines, 1, count);
  const f32x16 sine = gather(sines, 1, count);
  scatter(to.x, to.step, count, sub(mul(x, cosine), mul(y, sine)));
  scatter(to.y, to.step, count, add(mul(y, cosine), mul(x, sine)));
}

}  // namespace heed::detail
