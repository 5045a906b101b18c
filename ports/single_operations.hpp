// SPDX-License-Identifier: MIT
//
// What a single float is asked beyond + - * / and comparing: instructions of every floating-point unit that the library
// runs on, and integer ones where there is none. There the compiler's own run-time support, which rounds to nearest
// even, does the rest.
#pragma once

#if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
#define HEED_SOFT_FLOATS
#if __has_include(<detail/own_operations.hpp>)
#include <detail/own_operations.hpp>
#endif
#include <soft_floats/addition.hpp>
#include <soft_floats/divide.hpp>
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/products.hpp>
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

#if !defined(HEED_SOFT_FLOATS)
#elif defined(__arm__) && defined(__thumb__) && !defined(__thumb2__)
inline constexpr IntegerUnit integer_unit{.long_product = false, .leading_zeros = false};
#elif defined(__arm__)
inline constexpr IntegerUnit integer_unit{.long_product = true, .leading_zeros = true};
#else
inline constexpr IntegerUnit integer_unit{.long_product = true, .leading_zeros = false};
#endif

/// a * b + c, rounded once.
[[nodiscard, gnu::always_inline]] inline float fused(float a, float b, float c) noexcept {
#if defined(HEED_SOFT_FLOATS)
  return fused_multiply_add<integer_unit>(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

/// a * b. The run-time support for an M3 takes 31 instructions, that for others more than 100.
[[nodiscard, gnu::always_inline]] inline float product(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  if constexpr (!integer_unit.leading_zeros) return multiply<integer_unit>(a, b);
#endif
  return a * b;
}

/// a + b.
[[nodiscard, gnu::always_inline]] inline float added(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  return add_numbers<integer_unit>(a, b);
#else
  return a + b;
#endif
}

/// a - b.
[[nodiscard, gnu::always_inline]] inline float difference(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  return add_numbers<integer_unit>(a, -b);
#else
  return a - b;
#endif
}

/// a / b.
[[nodiscard, gnu::always_inline]] inline float quotient(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  return divide<integer_unit>(a, b);
#else
  return a / b;
#endif
}

/// a < b.
[[nodiscard, gnu::always_inline]] inline bool less(float a, float b) noexcept {
#if defined(HEED_SOFT_FLOATS)
  return is_less(a, b);
#else
  return a < b;
#endif
}

/// Rounded once; NaN below 0. With -fno-math-errno, which the library is compiled with, no function is called.
[[nodiscard, gnu::always_inline]] inline float square_root(float x) noexcept {
#if defined(HEED_SOFT_FLOATS)
  return soft_square_root(x);
#else
  return __builtin_sqrtf(x);
#endif
}

}  // namespace heed_own_code
}  // namespace heed::port
