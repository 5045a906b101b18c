// SPDX-License-Identifier: MIT
//
// Constants that results follow from.
#pragma once

#include <bit>
#include <cstdint>

#include "common/compiler_flags.hpp"

namespace heed::detail {

inline constexpr float log2_e = 1.44269504F;
inline constexpr float ln_2 = 0.693147181F;
inline constexpr float lowest = -3.40282347e38F;
inline constexpr float minus_infinity = std::bit_cast<float>(0xFF800000U);

/// Up to and including this argument exp2_nonpositive gives 0. The greatest weight of a softmax is 1, so what is cut
/// off is too small to be seen in a sum.
inline constexpr float exp2_cutoff = -126.5F;

/// Arguments count as at least this: below the cutoff, so that the result is 0.
inline constexpr float exp2_floor = -127.0F;

/// Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits; with 127 on top these are the exponent field
/// of the power of two. At -127 that power is 0.
inline constexpr float exp2_shift = 12582912.0F + 127.0F;

/// q of 2^f = 1 + (f + f q(f)), the minimax polynomial on [-1/2, 1/2] with a relative error below 2.6e-9, from the
/// highest power down. Taking f itself out of the coefficient ln 2 = 1 + (ln 2 - 1) keeps q below 1/2, and that is what
/// makes the rounded result monotone.
inline constexpr int exp2_terms = 6;
inline constexpr float exp2_series[exp2_terms] = {1.55946778e-4F, 1.34066434e-3F, 9.61769279e-3F,
                                                  5.55031039e-2F, 2.40226522e-1F, -3.06852788e-1F};

/// Below minus this the sigmoid is 0. It is about to leave the normal numbers there (it is 2^-125.99), so that no
/// result and no intermediate one is subnormal, which some processors take for 0.
inline constexpr float sigmoid_cutoff = 87.33F;

/// What magnitudes above the cutoff count as.
inline constexpr float sigmoid_far = 88.0F;

/// What log2(e) has beyond its float.
inline constexpr float log2_e_rest = 1.92596303e-8F;

}  // namespace heed::detail
