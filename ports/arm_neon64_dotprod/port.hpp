// SPDX-License-Identifier: MIT
//
// 64-bit Arm with dot products of bytes (ARMv8.2: Cortex-A55, A76), which products of integers take.
#pragma once

#if !defined(__aarch64__) || !defined(__ARM_FEATURE_DOTPROD)
#error "the arm_neon64_dotprod port needs AArch64 and -march=armv8.2-a+dotprod"
#endif

#include <neon64_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_neon64_dotprod";

}  // namespace heed_own_code
}  // namespace heed::port
