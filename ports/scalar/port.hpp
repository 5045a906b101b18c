// SPDX-License-Identifier: MIT
//
// Plain C++: sixteen floats in an array, for every CPU with a fused multiply-add. Shows what each operation means.
#pragma once

#include <bit>
#include <cstdint>

namespace heed::port {

inline constexpr const char* name = "scalar";
inline constexpr int lanes = 16;

/// Rows and panels whose sums are kept at once.
inline constexpr int tile_rows = 6;
constexpr int tile_panels(int) noexcept {
  return 1;
}

struct f32x16 {
  float lane[lanes];
};

struct i32x16 {
  std::int32_t lane[lanes];
};

inline f32x16 set(float value) noexcept {
  f32x16 result;
  for (float& lane : result.lane) lane = value;
  return result;
}

inline f32x16 load(const float* from) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = from[i];
  return result;
}

/// The first `count` lanes from memory, 0 in the others; nothing beyond them is read.
inline f32x16 load_partial(const float* from, int count) noexcept {
  f32x16 result = set(0.0F);
  for (int i = 0; i < count; ++i) result.lane[i] = from[i];
  return result;
}

inline void store(float* to, const f32x16& v) noexcept {
  for (int i = 0; i < lanes; ++i) to[i] = v.lane[i];
}

/// Writes the first `count` lanes and nothing beyond them.
inline void store_partial(float* to, const f32x16& v, int count) noexcept {
  for (int i = 0; i < count; ++i) to[i] = v.lane[i];
}

inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] + b.lane[i];
  return result;
}

inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] - b.lane[i];
  return result;
}

inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] * b.lane[i];
  return result;
}

/// a * b + c, rounded once.
inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = __builtin_fmaf(a.lane[i], b.lane[i], c.lane[i]);
  return result;
}

/// The greater of two numbers; unspecified if one is NaN.
inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  return result;
}

/// x < limit ? below : otherwise; NaN is not below anything.
inline f32x16 select_below(const f32x16& x, const f32x16& limit, const f32x16& below,
                           const f32x16& otherwise) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = x.lane[i] < limit.lane[i] ? below.lane[i] : otherwise.lane[i];
  return result;
}

/// The nearest integer, ties to even, for |x| < 2^22. For NaN some multiple of 512.
inline i32x16 round(const f32x16& x) noexcept {
  // Adding 1.5 * 2^23 leaves no fraction bits, so the addition itself rounds; the integer is then the low bits.
  constexpr float shift = 12582912.0F;
  i32x16 result;
  for (int i = 0; i < lanes; ++i) {
    const float number = x.lane[i] == x.lane[i] ? x.lane[i] : 0.0F;
    result.lane[i] = std::bit_cast<std::int32_t>(number + shift) - std::bit_cast<std::int32_t>(shift);
  }
  return result;
}

inline f32x16 to_float(const i32x16& x) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = static_cast<float>(x.lane[i]);
  return result;
}

/// x * 2^n by adding n to the exponent bits: exact while x and the result are normal numbers; x = 1, n = -127 gives 0.
inline f32x16 scale_exponent(const f32x16& x, const i32x16& n) noexcept {
  f32x16 result;
  for (int i = 0; i < lanes; ++i) {
    const auto exponent = static_cast<std::uint32_t>(n.lane[i]) << 23;
    result.lane[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x.lane[i]) + exponent);
  }
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

}  // namespace heed::port
