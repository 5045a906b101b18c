// SPDX-License-Identifier: MIT
#pragma once

#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "math/lanes.hpp"

namespace heed::detail {

/// Below minus this sigmoid_lanes gives 0. The sigmoid is about to leave the normal numbers there (it is 2^-125.99), so
/// that no result and no intermediate one is subnormal, which some processors take for 0.
inline constexpr float sigmoid_cutoff = 87.33F;

/// 1 / (1 + e^-x) within 2.43 units in the last place for x >= -sigmoid_cutoff, exactly 0 below, exactly 1/2 at 0,
/// exactly 1 from 17.33 up; NaN stays NaN.
///
/// With e = e^-|x|, which never overflows, it is 1 / (1 + e) for x >= 0 and e / (1 + e) below: nothing cancels. The
/// rounding of the exponent alone would cost 22 units below. With r = 2^exponent, e is r (1 - c), where c follows from
/// what the exponent lacks, and e / (1 + e) = r / (1 + r + c) within c^2 < 2^-36; above, the sum would not show c.
template <class Lanes>
[[gnu::always_inline]] inline Lanes sigmoid_lanes(const Lanes& x) noexcept {
  using namespace port;
  constexpr auto all = all_lanes<Lanes>;
  constexpr float log2_e_rest = 1.92596303e-8F;
  const Lanes one = all(1.0F);
  const Lanes size = max(x, mul(all(-1.0F), x));
  const Lanes kept = where_less(all(sigmoid_cutoff), size, all(88.0F), size);
  const Lanes exponent = mul(all(-log2_e), kept);
  const Lanes lack = fma(kept, all(log2_e_rest), fma(kept, all(log2_e), exponent));
  const Lanes r = exp2_nonpositive(exponent);
  const Lanes zero = all(0.0F);
  const Lanes dividend = where_less(x, zero, r, one);
  return div(dividend, add(one, where_less(x, zero, fma(all(ln_2), lack, r), r)));
}

}  // namespace heed::detail
