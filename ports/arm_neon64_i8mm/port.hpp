// SPDX-License-Identifier: MIT
//
// 64-bit Arm with products of matrices of bytes (ARMv8.6, or 8.2 with i8mm: Cortex-A510, Neoverse V1), which products
// of integers take.
#pragma once

#if !defined(__aarch64__) || !defined(__ARM_FEATURE_MATMUL_INT8) || !defined(__ARM_FEATURE_DOTPROD)
#error "the arm_neon64_i8mm port needs AArch64 and -march=armv8.2-a+dotprod+i8mm"
#endif

#include <neon64_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_neon64_i8mm";

}  // namespace heed_own_code
}  // namespace heed::port
