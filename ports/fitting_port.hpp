// SPDX-License-Identifier: MIT
//
// The port that fits a target, by the compiler's own macros, of those that need nothing but a compiler: CMake and
// PlatformIO ask it. None for a target on which heed would compute other bits.
#pragma once

#include "target_macros.hpp"

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define HEED_CORTEX_M
#endif

#if defined(HEED_EXCESS_PRECISION) || (defined(HEED_BIG_ENDIAN) && !defined(HEED_FUSED_MULTIPLY_ADD))
#define HEED_FITTING_PORT "none"
#elif defined(HEED_BIG_ENDIAN)
#define HEED_FITTING_PORT "scalar"
#elif defined(HEED_CORTEX_M) && defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE >= 2
#define HEED_FITTING_PORT "arm_mve"
#elif defined(HEED_CORTEX_M) && defined(__ARM_FEATURE_FMA)
#define HEED_FITTING_PORT "arm_m"
#elif defined(HEED_CORTEX_M) && defined(__thumb2__) && !defined(__ARM_FP)
#define HEED_FITTING_PORT "arm_m3"
#elif defined(HEED_CORTEX_M) && !defined(__ARM_FP)
#define HEED_FITTING_PORT "arm_m0"
#elif defined(__riscv) && __riscv_xlen == 32 && defined(__riscv_flen)
#define HEED_FITTING_PORT "riscv_f"
#elif defined(__riscv) && __riscv_xlen == 32 && defined(__riscv_mul)
#define HEED_FITTING_PORT "riscv_i"
#elif defined(HEED_FUSED_MULTIPLY_ADD)
#define HEED_FITTING_PORT "scalar"
#else
#define HEED_FITTING_PORT "none"
#endif
