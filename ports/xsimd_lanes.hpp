// SPDX-License-Identifier: MIT
//
// The sixteen logical lanes over any xsimd register width: the part that ports built on xsimd share. Works with xsimd
// 8.1.0 and with the releases that renamed parts of its interface; differences are absorbed here. A port names the
// instruction set before it includes this, as heed::port::Architecture: what xsimd would choose follows the flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <single_operations.hpp>
#include <xsimd/xsimd.hpp>

namespace heed::port {
inline namespace heed_own_code {

using Register = xsimd::batch<float, Architecture>;

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
    return {load<count / 2>(from), load<count / 2>(from + std::ptrdiff_t{count / 2} * register_lanes)};
  }
}

template <int count>
[[gnu::always_inline]] inline void store(float* to, const Registers<Register, count>& v) noexcept {
  if constexpr (count == 1) {
    v.leaf.store_unaligned(to);
  } else {
    store(to, v.low);
    store(to + std::ptrdiff_t{count / 2} * register_lanes, v.high);
  }
}

// Arithmetic: templates, so that a port that needs its own defines them for f32x16.

template <int count>
[[gnu::always_inline]] inline Registers<Register, count> add(const Registers<Register, count>& a,
                                                             const Registers<Register, count>& b) noexcept {
  return map<Register>([](Register x, Register y) { return x + y; }, a, b);
}

template <int count>
[[gnu::always_inline]] inline Registers<Register, count> sub(const Registers<Register, count>& a,
                                                             const Registers<Register, count>& b) noexcept {
  return map<Register>([](Register x, Register y) { return x - y; }, a, b);
}

template <int count>
[[gnu::always_inline]] inline Registers<Register, count> mul(const Registers<Register, count>& a,
                                                             const Registers<Register, count>& b) noexcept {
  return map<Register>([](Register x, Register y) { return x * y; }, a, b);
}

/// a * b + c, rounded once.
template <int count>
[[gnu::always_inline]] inline Registers<Register, count> fma(const Registers<Register, count>& a,
                                                             const Registers<Register, count>& b,
                                                             const Registers<Register, count>& c) noexcept {
  return map<Register>([](Register x, Register y, Register z) { return xsimd::fma(x, y, z); }, a, b, c);
}

/// 2^(k - 127) for t = 1.5 * 2^23 + k with an integer k of 1..254, and 0 for k = 0: the low bits of t become the
/// exponent. The compiler's cast and shift, because those of xsimd 8.1 are calls on Arm.
[[gnu::always_inline]] inline f32x16 power_from_low_bits(const f32x16& t) noexcept {
  using Integers [[gnu::vector_size(sizeof(Register))]] = std::uint32_t;
  return map<Register>(
      [](Register v) __attribute__((always_inline)) {
        return __builtin_bit_cast(Register, __builtin_bit_cast(Integers, v) << 23);
      },
      t);
}

}  // namespace heed_own_code
}  // namespace heed::port
