// SPDX-License-Identifier: MIT
//
// What a target is, from the compiler's own macros. single_operations.hpp refuses by it, and CMake asks it too
// (target_check.cmake).
#pragma once

// No floats in hardware, where ports/soft_floats has the multiply-add.
#if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
#define HEED_SOFT_FLOATS
#endif

// A fused multiply-add in hardware. gcc tells of it on every target, clang by other names on some; IBM Z and 64-bit
// POWER always have one. Where a compiler tells of none, CMake defines this if __builtin_fmaf calls no function.
#if !defined(HEED_FUSED_MULTIPLY_ADD) && (defined(__FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA) || \
                                          defined(__riscv_flen) || defined(__s390x__) || defined(__powerpc64__))
#define HEED_FUSED_MULTIPLY_ADD
#endif

// Floats are computed as something wider. 16 is so for half precision alone.
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#define HEED_EXCESS_PRECISION
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#define HEED_BIG_ENDIAN
#endif
