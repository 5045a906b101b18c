// SPDX-License-Identifier: MIT
//
// The sixteen logical lanes over any xsimd register width: the part that ports built on xsimd share. Works with xsimd
// 8.1.0 and with the releases that renamed parts of its interface; every difference is absorbed here.
#pragma once

#include <cstdint>
#include <xsimd/xsimd.hpp>

namespace heed::port {

using Register = xsimd::batch<float>;
using IntegerRegister = xsimd::batch<std::int32_t>;

inline constexpr int lanes = 16;
inline constexpr int register_lanes = static_cast<int>(Register::size);
static_assert(lanes % register_lanes == 0, "a register is wider than the logical vector");

/// `count` registers side by side, as a tree of halves: unlike an array, compilers keep every leaf in a register.
template <class Leaf, int count>
struct Registers {
  Registers<Leaf, count / 2> low;
  Registers<Leaf, count / 2> high;
};

template <class Leaf>
struct Registers<Leaf, 1> {
  Leaf leaf;
};

using f32x16 = Registers<Register, lanes / register_lanes>;
using i32x16 = Registers<IntegerRegister, lanes / register_lanes>;

/// f(leaf of a, leaf of b, ...) for every register.
template <class Result, class Function, class First, int count, class... Rest>
[[gnu::always_inline]] inline Registers<Result, count> map(Function f, const Registers<First, count>& first,
                                                           const Rest&... rest) noexcept {
  if constexpr (count == 1) {
    return {f(first.leaf, rest.leaf...)};
  } else {
    return {map<Result>(f, first.low, rest.low...), map<Result>(f, first.high, rest.high...)};
  }
}

template <int count = lanes / register_lanes>
[[gnu::always_inline]] inline Registers<Register, count> set(float value) noexcept {
  if constexpr (count == 1) {
    return {Register(value)};
  } else {
    return {set<count / 2>(value), set<count / 2>(value)};
  }
}

template <int count = lanes / register_lanes>
[[gnu::always_inline]] inline Registers<Register, count> load(const float* from) noexcept {
  if constexpr (count == 1) {
    return {Register::load_unaligned(from)};
  } else {
    return {load<count / 2>(from), load<count / 2>(from + count / 2 * register_lanes)};
  }
}

template <int count>
[[gnu::always_inline]] inline void store(float* to, const Registers<Register, count>& v) noexcept {
  if constexpr (count == 1) {
    v.leaf.store_unaligned(to);
  } else {
    store(to, v.low);
    store(to + count / 2 * register_lanes, v.high);
  }
}

[[gnu::always_inline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>([](Register x, Register y) { return x + y; }, a, b);
}

[[gnu::always_inline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>([](Register x, Register y) { return x - y; }, a, b);
}

[[gnu::always_inline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>([](Register x, Register y) { return x * y; }, a, b);
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  return map<Register>([](Register x, Register y, Register z) { return xsimd::fma(x, y, z); }, a, b, c);
}

/// The greater of two numbers; unspecified if one is NaN.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>([](Register x, Register y) { return xsimd::max(x, y); }, a, b);
}

/// x < limit ? below : otherwise; NaN is not below anything.
[[gnu::always_inline]] inline f32x16 select_below(const f32x16& x, const f32x16& limit, const f32x16& below,
                                                  const f32x16& otherwise) noexcept {
  return map<Register>([](Register v, Register l, Register b, Register o) { return xsimd::select(v < l, b, o); }, x,
                       limit, below, otherwise);
}

/// The nearest integer, ties to even, for |x| < 2^22. For NaN some multiple of 512.
[[gnu::always_inline]] inline i32x16 round(const f32x16& x) noexcept {
  return map<IntegerRegister>([](Register v) { return xsimd::nearbyint_as_int(v); }, x);
}

[[gnu::always_inline]] inline f32x16 to_float(const i32x16& x) noexcept {
  return map<Register>([](IntegerRegister v) { return xsimd::to_float(v); }, x);
}

/// x * 2^n by adding n to the exponent bits: exact while x and the result are normal numbers; x = 1, n = -127 gives 0.
[[gnu::always_inline]] inline f32x16 scale_exponent(const f32x16& x, const i32x16& n) noexcept {
  return map<Register>(
      [](Register v, IntegerRegister steps) {
#if XSIMD_VERSION_MAJOR >= 11
        return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(v) + (steps << 23));
#else
        return xsimd::bitwise_cast<Register>(xsimd::bitwise_cast<IntegerRegister>(v) + (steps << 23));
#endif
      },
      x, n);
}

}  // namespace heed::port
