// SPDX-License-Identifier: MIT
//
// The vector as an array in plain C++, for a port that has said how many rounds of a loop are `unrolled`.
#pragma once

#include <single_operations.hpp>

namespace heed::port {
inline namespace heed_own_code {

struct f32x16 {
  float lane[lanes];
};

/// One value for each lane.
template <class Function>
[[gnu::always_inline]] inline f32x16 for_each_lane(Function f) noexcept {
  f32x16 result;
#pragma GCC unroll unrolled
  for (int i = 0; i < lanes; ++i) result.lane[i] = f(i);
  return result;
}

[[gnu::noinline]] inline f32x16 set(float value) noexcept {
  return for_each_lane([value](int) noexcept { return value; });
}

[[gnu::noinline]] inline void store(float* to, const f32x16& v) noexcept {
#pragma GCC unroll unrolled
  for (int i = 0; i < lanes; ++i) to[i] = v.lane[i];
}

[[gnu::noinline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return sum(a.lane[i], b.lane[i]); });
}

[[gnu::noinline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return difference(a.lane[i], b.lane[i]); });
}

[[gnu::noinline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return product(a.lane[i], b.lane[i]); });
}

[[gnu::noinline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  return for_each_lane([&](int i) noexcept { return fused(a.lane[i], b.lane[i], c.lane[i]); });
}

}  // namespace heed_own_code
}  // namespace heed::port

#include <single_floats/lanes.hpp>
