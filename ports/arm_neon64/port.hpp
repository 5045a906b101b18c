// SPDX-License-Identifier: MIT
//
// 64-bit Arm, where NEON and its fused multiply-add are always there.
#pragma once

#if !defined(__aarch64__) || !defined(__ARM_NEON)
#error "the arm_neon64 port needs AArch64 with NEON"
#endif

#include <neon64_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_neon64";

}  // namespace heed_own_code
}  // namespace heed::port
