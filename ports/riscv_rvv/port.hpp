// SPDX-License-Identifier: MIT
//
// 64-bit RISC-V with the vector extension 1.0 at a fixed register length: a group of four registers of 128 bits is the
// logical vector, or one of two registers of 256. The operations are those of clang's vector types, which choose the
// instructions: what is the same in every lane comes from a scalar register.
#pragma once

#if !defined(__riscv_v_fixed_vlen)
#error "the riscv_rvv port needs a fixed vector length: -march=rv64gcv_zvl128b -mrvv-vector-bits=zvl, or 256"
#endif
#if __riscv_v_fixed_vlen != 128 && __riscv_v_fixed_vlen != 256
#error "the riscv_rvv port is for registers of 128 or 256 bits"
#endif

#include <riscv_vector.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <no_prefetch.hpp>
#include <single_operations.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "riscv_rvv";

inline constexpr int lanes = 16;

namespace detail {
/// How many logical vectors the registers hold: 8 or 16.
inline constexpr int groups = __riscv_v_fixed_vlen / 16;
}  // namespace detail

/// Rows and panels whose sums stay in registers at once: all but two groups, which are for rows of B, and no more than
/// 8 rows, because all sixteen of a tile of queries take two tiles of 8.
inline constexpr int tile_rows = detail::groups - 2 < 8 ? detail::groups - 2 : 8;
constexpr int tile_panels(int rows) noexcept {
  return rows == 1 ? 4 : rows <= tile_rows / 2 ? 2 : 1;
}

namespace detail {

using Floats = float __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
/// The same in memory, where floats are aligned as floats are.
using StoredFloats = float __attribute__((vector_size(64), aligned(4), may_alias));

#if __riscv_v_fixed_vlen == 128
using Group = vfloat32m4_t __attribute__((riscv_rvv_vector_bits(512)));
[[gnu::always_inline]] inline Group load_first(Group others, const float* from, std::size_t count) noexcept {
  return __riscv_vle32_v_f32m4_tu(others, from, count);
}
#else
using Group = vfloat32m2_t __attribute__((riscv_rvv_vector_bits(512)));
[[gnu::always_inline]] inline Group load_first(Group others, const float* from, std::size_t count) noexcept {
  return __riscv_vle32_v_f32m2_tu(others, from, count);
}
#endif

/// to[16 * i] = factor * from[i] for i < count. Here, because clang forgets the intrinsics after a precompiled header.
inline void store_column(const float* from, float factor, std::size_t count, float* to) noexcept {
  constexpr std::ptrdiff_t stride = lanes * sizeof(float);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; i += taken) {
    taken = __riscv_vsetvl_e32m8(count - i);
    const vfloat32m8_t column = __riscv_vfmul(__riscv_vle32_v_f32m8(from + i, taken), factor, taken);
    __riscv_vsse32(to + i * lanes, stride, column, taken);
  }
}

}  // namespace detail

struct f32x16 {
  detail::Floats all;
};

[[gnu::always_inline]] inline f32x16 set(float value) noexcept {
  const float x = value;
  return {{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}};
}

[[gnu::always_inline]] inline f32x16 load(const float* from) noexcept {
  return {*reinterpret_cast<const detail::StoredFloats*>(from)};
}

[[gnu::always_inline]] inline void store(float* to, const f32x16& v) noexcept {
  *reinterpret_cast<detail::StoredFloats*>(to) = v.all;
}

/// The first `count` lanes from memory, 0 in the others; nothing beyond them is read.
[[gnu::always_inline]] inline f32x16 load_partial(const float* from, int count) noexcept {
  return {detail::load_first(set(0.0F).all, from, static_cast<std::size_t>(count))};
}

/// Writes the first `count` lanes and nothing beyond them.
[[gnu::always_inline]] inline void store_partial(float* to, const f32x16& v, int count) noexcept {
  __riscv_vse32(to, static_cast<detail::Group>(v.all), static_cast<std::size_t>(count));
}

[[gnu::always_inline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  return {a.all + b.all};
}

[[gnu::always_inline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  return {a.all - b.all};
}

[[gnu::always_inline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  return {a.all * b.all};
}

/// a / b, rounded once.
[[gnu::always_inline]] inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  return {a.all / b.all};
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  return {__builtin_elementwise_fma(a.all, b.all, c.all)};
}

/// x in the lanes where a < b, which is false if either is NaN, and y in the others.
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                                const f32x16& y) noexcept {
  return {a.all < b.all ? x.all : y.all};
}

/// The greater of two numbers; NaN if b is NaN. The machine's own maximum prefers the number.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  return where_less(b, a, a, b);
}

/// The smaller of two numbers; NaN if b is NaN.
[[gnu::always_inline]] inline f32x16 min(const f32x16& a, const f32x16& b) noexcept {
  return where_less(a, b, a, b);
}

/// 2^(k - 127) for t = 1.5 * 2^23 + k with an integer k of 1..254, and 0 for k = 0: the low bits of t become the
/// exponent.
[[gnu::always_inline]] inline f32x16 power_from_low_bits(const f32x16& t) noexcept {
  return {std::bit_cast<detail::Floats>(std::bit_cast<detail::Words>(t.all) << 23)};
}

/// Sum of the lanes: lane l with l + 8, then l + 4, l + 2, l + 1.
[[gnu::always_inline]] inline float sum(const f32x16& v) noexcept {
  const auto all = v.all;
  const auto eight = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four =
      __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

/// The greatest lane; unspecified if one is NaN.
[[gnu::always_inline]] inline float maximum(const f32x16& v) noexcept {
  return __builtin_reduce_max(v.all);
}

}  // namespace heed_own_code
}  // namespace heed::port
