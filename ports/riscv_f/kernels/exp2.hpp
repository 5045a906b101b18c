// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/exp2_above_floor.hpp>
#include <port.hpp>
#include <single_floats/detail/single.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

[[gnu::always_inline]] inline port::Single exp2_nonpositive(port::Single x) noexcept {
  return {exp2_above_floor(max(port::Single{exp2_floor}, x).value)};
}

#ifdef __OPTIMIZE_SIZE__
#define HEED_INLINE_FOR_SPEED [[gnu::noinline]] inline
#else
#define HEED_INLINE_FOR_SPEED [[gnu::always_inline]] inline
#endif

/// x = 2^(x - maximum) for `count` floats x that are `step` floats apart; returns their sum in this order.
HEED_INLINE_FOR_SPEED float exp2_of_differences(float* x, std::ptrdiff_t step, std::uint32_t count,
                                                float maximum) noexcept {
  float total = 0.0F;
#pragma GCC unroll 1
  for (; count != 0; --count, x += step) {
    *x = exp2_nonpositive(port::Single{port::minus(*x, maximum)}).value;
    total = port::plus(total, *x);
  }
  return total;
}

#undef HEED_INLINE_FOR_SPEED

[[gnu::noinline]] inline void exp2_of_sixteen(float* x) noexcept {
  exp2_of_differences(x, 1, 16, 0.0F);
}

inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  port::f32x16 result = x;
  exp2_of_sixteen(result.lane);
  return result;
}

}  // namespace heed_own_code
}  // namespace heed::detail
