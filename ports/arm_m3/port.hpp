// SPDX-License-Identifier: MIT
//
// Cortex-M of ARMv7-M without a floating-point unit (M3; M4, M7 and M33 that have none): products of 64 bits.
#pragma once

#if !defined(__thumb2__) || defined(__ARM_FP)
#error "the arm_m3 port is for a Cortex-M without a floating-point unit: -mcpu=cortex-m3 -mfloat-abi=soft"
#endif

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_m3";

}  // namespace heed_own_code
}  // namespace heed::port

#include <soft_floats/lanes.hpp>
