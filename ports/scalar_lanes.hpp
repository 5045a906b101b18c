// SPDX-License-Identifier: MIT
//
// Plain C++: sixteen floats in an array. Shows what each operation means.
#pragma once

#include <bit>
#include <cstdint>
#include <single_operations.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr int lanes = 16;

/// Every loop over the lanes is unrolled at any optimisation level: only then does a compiler keep lanes in registers.
struct f32x16 {
  float lane[lanes];
};

[[gnu::always_inline]] inline f32x16 set(float value) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (float& lane : result.lane) lane = value;
  return result;
}

[[gnu::always_inline]] inline f32x16 load(const float* from) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = from[i];
  return result;
}

/// The first `count` lanes from memory, 0 in the others; nothing beyond them is read.
inline f32x16 load_partial(const float* from, int count) noexcept {
  f32x16 result = set(0.0F);
  for (int i = 0; i < count; ++i) result.lane[i] = from[i];
  return result;
}

[[gnu::always_inline]] inline void store(float* to, const f32x16& v) noexcept {
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) to[i] = v.lane[i];
}

/// Writes the first `count` lanes and nothing beyond them.
inline void store_partial(float* to, const f32x16& v, int count) noexcept {
  for (int i = 0; i < count; ++i) to[i] = v.lane[i];
}

[[gnu::always_inline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] + b.lane[i];
  return result;
}

[[gnu::always_inline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] - b.lane[i];
  return result;
}

[[gnu::always_inline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] * b.lane[i];
  return result;
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = fused(a.lane[i], b.lane[i], c.lane[i]);
  return result;
}

/// The greater of two numbers; NaN if b is NaN.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  return result;
}

/// a / b, rounded once.
[[gnu::always_inline]] inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] / b.lane[i];
  return result;
}

/// The smaller of two numbers; NaN if b is NaN.
[[gnu::always_inline]] inline f32x16 min(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
  return result;
}

/// x in the lanes where a < b, which is false if either is NaN, and y in the others. Clang 14 for AArch64 takes
/// x < 0 ? 0 : x for a maximum, which loses the sign of -0, unless it cannot see what the choice depends on.
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                                const f32x16& y) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
    bool less = a.lane[i] < b.lane[i];
#if defined(__clang__) && defined(__aarch64__)
    asm("" : "+r"(less));
#endif
    result.lane[i] = less ? x.lane[i] : y.lane[i];
  }
  return result;
}

/// 2^(k - 127) for t = 1.5 * 2^23 + k with an integer k of 1..254, and 0 for k = 0: the low bits of t become the
/// exponent.
[[gnu::always_inline]] inline f32x16 power_from_low_bits(const f32x16& t) noexcept {
  f32x16 result;
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) result.lane[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(t.lane[i]) << 23);
  return result;
}

/// Sum of the lanes: lane l with l + 8, then l + 4, l + 2, l + 1.
inline float sum(const f32x16& v) noexcept {
  f32x16 folded = v;
  for (int width = lanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) folded.lane[i] += folded.lane[i + width];
  }
  return folded.lane[0];
}

/// The greatest lane; unspecified if one is NaN.
inline float maximum(const f32x16& v) noexcept {
  float greatest = v.lane[0];
  for (float lane : v.lane) greatest = lane > greatest ? lane : greatest;
  return greatest;
}

}  // namespace heed_own_code
}  // namespace heed::port
