// SPDX-License-Identifier: MIT
//
// Functions over a row number by number, but the GELU and the SiLU of integers four at a time, in code for speed.
#pragma once

#include <single_floats/kernels/map.hpp>

#ifndef __OPTIMIZE_SIZE__

#include <cstdint>
#include <gaussian_shares.hpp>
#include <sigmoid_shares.hpp>

namespace heed::detail {

// clang-format off
// From x in a float and in its bits: the bits become the share, times 2^13. A jump that is seldom taken costs less than
// a choice: where it leads, `there`, and where it comes `back` to. s8 is the scale, r11 the shares, r12 the most.
#define HEED_MAGNITUDE(x, number) "vabs.f32 " number ", " x "\n" "vmul.f32 " number ", " number ", s8\n"
#define HEED_SHARE(bits, number, there, back)     \
  "cmp " number ", r12\n"                         \
  "bhi " there "f\n"                              \
  back ":\n"                                      \
  "ldrh " number ", [r11, " number ", lsl #1]\n"   \
  "cmp " bits ", #0\n"                            \
  "it mi\n"                                       \
  "rsbmi " number ", " number ", #8192\n"
// Beyond the table, or infinite: of -inf the lowest float is taken, as its share is 0.
#define HEED_BEYOND(bits, x, number, there, back) \
  there ":\n"                                     \
  "mov " number ", r12\n"                         \
  "cmp " bits ", #0xFF800000\n"                   \
  "bne " back "b\n"                               \
  "sub " bits ", #1\n"                            \
  "vmov " x ", " bits "\n"                        \
  "b " back "b\n"

/// A function as a table of shares, in units of 2^-13: of x it is of[|x| * scale to nearest even, at most `most`], or 2^13
/// less that for a negative one; the last of them is 2^13.
struct ShareTable {
  const std::uint16_t* of;
  std::uint32_t most;
  float scale;
};

/// to = max(lowest, from) * share * factors, or without those where they are null, of `fours` times four numbers, at
/// least four.
[[gnu::naked, gnu::noinline]] inline void times_shares(const float* /*from*/, const float* /*factors*/,
                                                       std::uint32_t /*fours*/, float* /*to*/,
                                                       const ShareTable& /*table*/) noexcept {
  asm("push {r4-r6, r8-r11, lr}\n"
      "ldr r6, [sp, #32]\n"
      "ldrd r11, r12, [r6]\n"
      "vldr s8, [r6, #8]\n"
      "1:\n"
      "vldmia r0, {s0-s3}\n"
      HEED_MAGNITUDE("s0", "s4") HEED_MAGNITUDE("s1", "s5") HEED_MAGNITUDE("s2", "s6") HEED_MAGNITUDE("s3", "s7")
      "vcvtr.u32.f32 s4, s4\n"
      "vcvtr.u32.f32 s5, s5\n"
      "vcvtr.u32.f32 s6, s6\n"
      "vcvtr.u32.f32 s7, s7\n"
      "ldrd r4, r5, [r0], #8\n"
      "vmov r6, r8, s4, s5\n"
      "vmov r9, r10, s6, s7\n"
      HEED_SHARE("r4", "r6", "12", "2") HEED_SHARE("r5", "r8", "13", "3")
      "ldrd r4, r5, [r0], #8\n"
      HEED_SHARE("r4", "r9", "14", "4") HEED_SHARE("r5", "r10", "15", "5")
      "vmov s4, s5, r6, r8\n"
      "vmov s6, s7, r9, r10\n"
      "vcvt.f32.u32 s4, s4, #13\n"
      "vcvt.f32.u32 s5, s5, #13\n"
      "vcvt.f32.u32 s6, s6, #13\n"
      "vcvt.f32.u32 s7, s7, #13\n"
      "vmul.f32 s0, s0, s4\n"
      "vmul.f32 s1, s1, s5\n"
      "vmul.f32 s2, s2, s6\n"
      "vmul.f32 s3, s3, s7\n"
      "cmp r1, #0\n"
      "beq 7f\n"
      "vldmia r1!, {s4-s7}\n"
      "vmul.f32 s0, s0, s4\n"
      "vmul.f32 s1, s1, s5\n"
      "vmul.f32 s2, s2, s6\n"
      "vmul.f32 s3, s3, s7\n"
      "7:\n"
      "vstmia r3!, {s0-s3}\n"
      "subs r2, #1\n"
      "bne 1b\n"
      "b 6f\n"
      HEED_BEYOND("r4", "s0", "r6", "12", "2") HEED_BEYOND("r5", "s1", "r8", "13", "3")
      HEED_BEYOND("r4", "s2", "r9", "14", "4") HEED_BEYOND("r5", "s3", "r10", "15", "5")
      "6:\n"
      "pop {r4-r6, r8-r11, pc}\n");
}
// clang-format on

/// map_scaled() of the GELU and the SiLU of integers.
template <class Function>
requires requires {
  Function::is_integer_gelu;
}
[[gnu::noinline]] void map_scaled(const float* from, const float* factors, std::uint32_t count, float* to) noexcept {
  const std::uint32_t whole = count / 4 * 4;
  if (whole != 0) {
    if constexpr (Function::is_integer_gelu) {
      times_shares(from, factors, whole / 4, to, {gaussian_shares.of, gaussian_most, 512.0F});
    } else {
      times_shares(from, factors, whole / 4, to, {sigmoid_shares.of, sigmoid_most, 256.0F});
    }
  }
#pragma GCC unroll 1
  for (std::uint32_t i = whole; i < count; ++i) {
    const float value = Function{}(port::Single{from[i]}).value;
    to[i] = factors != nullptr ? value * factors[i] : value;
  }
}
#undef HEED_MAGNITUDE
#undef HEED_SHARE
#undef HEED_BEYOND
#undef HEED_TIMES_SHARE

}  // namespace heed::detail

#endif
