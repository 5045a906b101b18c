// SPDX-License-Identifier: MIT
#pragma once

#include "common/compiler_flags.hpp"

namespace heed::detail {

/// The square root of x >= 0, correctly rounded, as IEEE-754 defines it; NaN below 0. An instruction of every processor
/// that has a fused multiply-add: with -fno-math-errno, which the library is compiled with, no function is called.
[[nodiscard, gnu::always_inline]] inline float square_root(float x) noexcept {
  return __builtin_sqrtf(x);
}

}  // namespace heed::detail
