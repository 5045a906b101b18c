// SPDX-License-Identifier: MIT
//
// What a single float is asked beyond + - * / and comparing: instructions of every floating-point unit that the library
// runs on, and integer ones where there is none. There the compiler's own run-time support, which rounds to nearest
// even, does the rest.
#pragma once

#include <bit>
#include <cstdint>
#include <target_macros.hpp>

#if !defined(HEED_FUSED_MULTIPLY_ADD) && !defined(HEED_SOFT_FLOATS)
#error \
    "heed needs a fused multiply-add beside floats in hardware: add -mfma, -mfpu=neon-vfpv4 or the like; if the CPU has one all the same, -DHEED_FUSED_MULTIPLY_ADD"
#endif
#if defined(HEED_EXCESS_PRECISION)
#error "heed gives the same bits everywhere, and excess precision changes them: add -msse2 -mfpmath=sse"
#endif
#if defined(HEED_BIG_ENDIAN) && !defined(HEED_PORT_ANY_BYTE_ORDER)
#error "this port of heed is for little-endian CPUs: take the port scalar"
#endif

#if defined(HEED_SOFT_FLOATS)
#if __has_include(<detail/own_operations.hpp>)
#include <detail/own_operations.hpp>
#endif
#include <soft_floats/addition.hpp>
#include <soft_floats/divide.hpp>
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/products.hpp>
#include <soft_floats/small_operations.hpp>
#include <soft_floats/square_root.hpp>
#endif

namespace heed::port {
inline namespace heed_own_code {

/// Whether a product costs no more than a jump around it.
#if defined(HEED_SOFT_FLOATS)
inline constexpr bool has_float_unit = false;
#else
inline constexpr bool has_float_unit = true;
#endif

/// Whether operations are the run-time support's where it has them. In code for size: it is linked in any case, for
/// what is not normal, and has the same bits.
#if defined(HEED_SOFT_FLOATS)
inline constexpr bool takes_support = for_size;
#else
inline constexpr bool takes_support = false;
#endif

#if !defined(HEED_SOFT_FLOATS)
#elif defined(__arm__) && defined(__thumb__) && !defined(__thumb2__)
inline constexpr IntegerUnit integer_unit{.long_product = false, .leading_zeros = false};
#elif defined(__arm__)
inline constexpr IntegerUnit integer_unit{.long_product = true, .leading_zeros = true};
#else
inline constexpr IntegerUnit integer_unit{.long_product = true, .leading_zeros = false};
#endif

/// Whether they are small_operations.hpp's instead, where no operator between floats is left: those are a quarter as
/// long as the run-time support of a CPU without long products.
#if defined(HEED_SOFT_FLOATS)
inline constexpr bool takes_small = takes_support && !integer_unit.long_product;
#else
inline constexpr bool takes_small = false;
#endif

/// Rounds of a loop over eight floats that registers hold, where there are some, which stand in the code side by side.
inline constexpr int unrolled_eight = takes_support ? 1 : 8;

/// a * b + c, rounded once.
[[nodiscard, gnu::always_inline]] inline float fused(float a, float b, float c) noexcept {
#if defined(HEED_SOFT_FLOATS)
  return fused_multiply_add<integer_unit>(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

/// a * b, a + b, a / b and a number below 2^31 as a float, in the shortest code: for what is not hot. The same bits as
/// product(), sum() and quotient() below, which are faster and longer on a CPU without a floating-point unit.
[[nodiscard, gnu::always_inline]] inline float compact_product(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (takes_small) return small_product(a, b);
#endif
  return a * b;
}
[[nodiscard, gnu::always_inline]] inline float compact_sum(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (takes_small) return small_sum(a, b);
#endif
  return a + b;
}
[[nodiscard, gnu::always_inline]] inline float compact_quotient(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (takes_small) return small_quotient(a, b);
#endif
  return a / b;
}
[[nodiscard, gnu::always_inline]] inline float as_float(std::int32_t number) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (takes_small) return small_conversion(number);
#endif
  return static_cast<float>(number);
}
[[nodiscard, gnu::always_inline]] inline float as_float(std::uint32_t number) noexcept {
  if constexpr (takes_small) return as_float(static_cast<std::int32_t>(number));
  return static_cast<float>(number);
}

/// x to nearest even, of |x| up to 2^22.
[[nodiscard, gnu::always_inline]] inline std::int32_t nearest_integer(float x) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (takes_small) return small_rounding(x);
#endif
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: what is added to it is rounded to an integer
  return static_cast<std::int32_t>((x + shift) - shift);
}

/// a * b. The run-time support for an M3 takes 31 instructions, that for others more than 100.
[[nodiscard, gnu::always_inline]] inline float product(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (!integer_unit.leading_zeros && !takes_support) return multiply<integer_unit>(a, b);
  if constexpr (takes_small) return small_product(a, b);
#endif
  return a * b;
}

/// a + b.
[[nodiscard, gnu::always_inline]] inline float sum(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (!takes_support) return add_numbers<integer_unit>(a, b);
  if constexpr (takes_small) return small_sum(a, b);
#endif
  return a + b;
}

/// a - b in the shortest code: the run-time support's subtraction is as long as its addition, and would come beside it.
[[nodiscard, gnu::always_inline]] inline float compact_difference(float a, float b) noexcept {
  if constexpr (!takes_support) return a - b;
  std::uint32_t negative = std::bit_cast<std::uint32_t>(b) ^ 0x80000000U;
  asm("" : "+r"(negative));  // else compilers subtract what they know
  return compact_sum(a, std::bit_cast<float>(negative));
}

/// a - b.
[[nodiscard, gnu::always_inline]] inline float difference(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (!takes_support) return add_numbers<integer_unit>(a, -b);
#endif
  return compact_difference(a, b);
}

/// a / b.
[[nodiscard, gnu::always_inline]] inline float quotient(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (!takes_support) return divide<integer_unit>(a, b);
  if constexpr (takes_small) return small_quotient(a, b);
#endif
  return a / b;
}

/// a < b.
[[nodiscard, gnu::always_inline]] inline bool less(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (!takes_support) return is_less(a, b);
  if constexpr (!integer_unit.long_product) return is_less_apart(a, b);
#endif
  return a < b;
}

/// The same of numbers that are not below 0, or NaN.
[[nodiscard, gnu::always_inline]] inline bool less_from_zero(float a, float b) noexcept {
  if constexpr (!takes_small) return less(a, b);
  const auto x = std::bit_cast<std::uint32_t>(a);
  const auto y = std::bit_cast<std::uint32_t>(b);
  return x < y && y <= 0x7F800000U;
}

/// x == 0, x != x and a == b: asked of the bits where a comparison is a call.
[[nodiscard, gnu::always_inline]] inline bool is_zero(float x) noexcept {
  if constexpr (!has_float_unit) return std::bit_cast<std::uint32_t>(x) << 1 == 0;
  return x == 0.0F;
}
[[nodiscard, gnu::always_inline]] inline bool is_nan(float x) noexcept {
  if constexpr (!has_float_unit) return std::bit_cast<std::uint32_t>(x) << 1 > 0xFF000000U;
  return x != x;
}
[[nodiscard, gnu::always_inline]] inline bool equal(float a, float b) noexcept {
  if constexpr (has_float_unit) return a == b;
  const auto x = std::bit_cast<std::uint32_t>(a);
  const auto y = std::bit_cast<std::uint32_t>(b);
  return x == y ? !is_nan(a) : (x | y) << 1 == 0;
}

/// Rounded once; NaN below 0. With -fno-math-errno, which the library is compiled with, no function is called.
[[nodiscard, gnu::always_inline]] inline float square_root(float x) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (takes_small) return small_square_root(x);
  return soft_square_root(x);
#else
  return __builtin_sqrtf(x);
#endif
}

/// a / b and a % b of whole numbers; in code for size without the run-time support, where a division is a call.
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t whole_quotient(std::uint32_t a, std::uint32_t b) noexcept {
#if defined(HEED_SOFT_FLOATS) && !defined(__ARM_FEATURE_IDIV)
  if constexpr (takes_small) return small_whole_quotient(a, b);
#endif
  return a / b;
}
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t whole_remainder(std::uint32_t a, std::uint32_t b) noexcept {
  if constexpr (takes_small) return a - whole_quotient(a, b) * b;
  return a % b;
}

/// product = a * b; whether it does not fit.
template <class Number>
[[nodiscard, gnu::always_inline]] inline bool multiply_overflows(Number a, Number b, Number& product) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (takes_small) {
    std::uint32_t low = 0;
    const bool overflows = small_overflow(a, b, low);
    product = low;
    return overflows;
  }
#endif
  return __builtin_mul_overflow(a, b, &product);
}

}  // namespace heed_own_code
}  // namespace heed::port
