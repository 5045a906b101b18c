// SPDX-License-Identifier: MIT
#pragma once

#include "common/compiler_flags.hpp"

namespace heed::detail {

/// Below minus this the sigmoid is 0. It is about to leave the normal numbers there (it is 2^-125.99), so that no
/// result and no intermediate one is subnormal, which some processors take for 0.
inline constexpr float sigmoid_cutoff = 87.33F;

/// What magnitudes above the cutoff count as.
inline constexpr float sigmoid_far = 88.0F;

/// What log2(e) has beyond its float.
inline constexpr float log2_e_rest = 1.92596303e-8F;

}  // namespace heed::detail
