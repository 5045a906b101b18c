// SPDX-License-Identifier: MIT
//
// Operations on a vector that is an array of single floats, for a port that has defined f32x16, set() and
// for_each_lane(). Out of line, because the code must be small.
#pragma once

#include <bit>
#include <cstdint>

namespace heed::port {
inline namespace heed_own_code {

/// The vector where it lies: an operation reads its operands there, and a copy is made where one is declared.
inline const f32x16& load(const float* from) noexcept {
  return *reinterpret_cast<const f32x16*>(from);
}

[[gnu::noinline]] inline f32x16 load_partial(const float* from, int count) noexcept {
  f32x16 result = set(0.0F);
#pragma GCC unroll 1
  for (int i = 0; i < count; ++i) result.lane[i] = from[i];
  return result;
}

[[gnu::noinline]] inline void store_partial(float* to, const f32x16& v, int count) noexcept {
#pragma GCC unroll 1
  for (int i = 0; i < count; ++i) to[i] = v.lane[i];
}

[[gnu::noinline]] inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return quotient(a.lane[i], b.lane[i]); });
}

[[gnu::noinline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
}

[[gnu::noinline]] inline f32x16 min(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
}

[[gnu::noinline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                           const f32x16& y) noexcept {
  return for_each_lane([&](int i) noexcept { return less(a.lane[i], b.lane[i]) ? x.lane[i] : y.lane[i]; });
}

[[gnu::noinline]] inline f32x16 power_from_low_bits(const f32x16& t) noexcept {
  return for_each_lane(
      [&](int i) noexcept { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(t.lane[i]) << 23); });
}

inline float sum(const f32x16& v) noexcept {
  f32x16 folded = v;
  for (int width = lanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) folded.lane[i] = sum(folded.lane[i], folded.lane[i + width]);
  }
  return folded.lane[0];
}

inline float maximum(const f32x16& v) noexcept {
  float greatest = v.lane[0];
  for (float lane : v.lane) greatest = lane > greatest ? lane : greatest;
  return greatest;
}

}  // namespace heed_own_code
}  // namespace heed::port
