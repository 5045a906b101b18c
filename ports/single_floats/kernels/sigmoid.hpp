// SPDX-License-Identifier: MIT
//
// The sigmoid of one number, operation for operation as in the shared kernel: each side of 0 does what it needs.
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "../detail/single.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// 1 / (1 + e^-x).
[[gnu::always_inline]] inline port::Single sigmoid_lanes(port::Single x) noexcept {
  const float size = __builtin_fabsf(x.value);
  float kept = size;
  bool negative = false;
  if constexpr (!port::compares_bits) {
    kept = port::less(sigmoid_cutoff, size) ? sigmoid_far : size;
    negative = port::less(x.value, 0.0F);
  } else {
    // A jump that is seldom taken costs less than a choice; -0 and 0 have the same sigmoid on either side.
    const auto bits = std::bit_cast<std::uint32_t>(x.value);
    if (__builtin_expect_with_probability(bits << 1 > std::bit_cast<std::uint32_t>(sigmoid_cutoff) << 1, 0, 0.99)) {
      kept = port::is_nan(size) ? size : sigmoid_far;
    }
    negative = static_cast<std::int32_t>(bits) < 0;
  }
  const float exponent = port::product(-log2_e, kept);
  const float r = exp2_above_floor(exponent);
  if (negative) {
    const float lack = port::fused(kept, log2_e_rest, port::fused(kept, log2_e, exponent));
    return {port::quotient(r, port::compact_sum(1.0F, port::fused(ln_2, lack, r)))};
  }
  return {port::quotient(1.0F, port::compact_sum(1.0F, r))};
}
static_assert(-log2_e * sigmoid_far > exp2_floor);

inline port::f32x16 sigmoid_lanes(const port::f32x16& x) noexcept {
  return port::for_each_lane([&x](int i) noexcept { return sigmoid_lanes(port::Single{x.lane[i]}).value; });
}

}  // namespace heed::detail
