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
    *x = exp2_above_floor(max(port::Single{exp2_floor}, port::Single{port::compact_difference(*x, maximum)}).value);
    total = port::compact_sum(total, *x);
  }
  return total;
}

#undef HEED_INLINE_FOR_SPEED

}  // namespace heed_own_code
}  // namespace heed::detail
