// SPDX-License-Identifier: MIT
//
// What a single float is asked beyond + - * / and comparing: instructions of every floating-point unit that the library
// runs on, and integer ones where there is none. There the compiler's own run-time support, which rounds to nearest
// even, does the rest.
#pragma once

#if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
#define HEED_SOFT_FLOATS
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/square_root.hpp>
#endif

namespace heed::port {
inline namespace heed_own_code {

/// a * b + c, rounded once.
[[nodiscard, gnu::always_inline]] inline float fused(float a, float b, float c) noexcept {
#if !defined(HEED_SOFT_FLOATS)
  return __builtin_fmaf(a, b, c);
#elif defined(__arm__) && defined(__thumb__) && !defined(__thumb2__)
  return fused_multiply_add<IntegerUnit{.long_product = false, .leading_zeros = false}>(a, b, c);
#elif defined(__arm__)
  return fused_multiply_add<IntegerUnit{.long_product = true, .leading_zeros = true}>(a, b, c);
#else
  return fused_multiply_add<IntegerUnit{.long_product = true, .leading_zeros = false}>(a, b, c);
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
