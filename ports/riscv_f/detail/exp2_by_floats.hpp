// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>
#include <single_floats/detail/single.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// 2^x of one number that is exp2_floor at least, or NaN, operation for operation as the shared kernel does it.
[[gnu::always_inline]] inline float exp2_by_floats(float x) noexcept {
  const float shifted = port::compact_sum(x, exp2_shift);
  const float power = port::power_from_low_bits(port::Single{shifted}).value;
  const float fraction = port::compact_difference(x, port::compact_difference(shifted, exp2_shift));
  float q = exp2_series[0];
#pragma GCC unroll 8
  for (int i = 1; i < exp2_terms; ++i) q = port::fused(q, fraction, exp2_series[i]);
  return port::fused(power, port::fused(q, fraction, fraction), power);
}

}  // namespace heed_own_code
}  // namespace heed::detail
