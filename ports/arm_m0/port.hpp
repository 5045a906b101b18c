// SPDX-License-Identifier: MIT
//
// Cortex-M of ARMv6-M (M0, M0+): no product has more than 32 bits, nothing counts zeros, and words are aligned.
#pragma once

#if !defined(__thumb__) || defined(__ARM_FP)
#error "the arm_m0 port is for a Cortex-M0: -mcpu=cortex-m0plus -mfloat-abi=soft"
#endif

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_m0";

}  // namespace heed_own_code
}  // namespace heed::port

#include <soft_floats/lanes.hpp>
