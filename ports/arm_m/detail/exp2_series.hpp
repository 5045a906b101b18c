// SPDX-License-Identifier: MIT
#pragma once

/// power times 2^fraction, with the lower coefficients in s11 to s15, where one load-multiple brings them: a
/// multiply-add overwrites its addend.
#define HEED_EXP2_SERIES                     \
  "vfma.f32 s11, %[highest], %[fraction]\n"  \
  "vfma.f32 s12, s11, %[fraction]\n"         \
  "vfma.f32 s13, s12, %[fraction]\n"         \
  "vfma.f32 s14, s13, %[fraction]\n"         \
  "vfma.f32 s15, s14, %[fraction]\n"         \
  "vfma.f32 %[fraction], s15, %[fraction]\n" \
  "vfma.f32 %[power], %[power], %[fraction]\n"
