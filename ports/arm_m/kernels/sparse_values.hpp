// SPDX-License-Identifier: MIT
//
// Sums of a row's weights and values of at most eight channels, in code for speed. Of a trained model's weights most
// are rounded to 0: fours of keys with others are listed before values are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Whether sum_sparse_values() is the faster way for the values of a key block, of so many channels, and its rows.
[[nodiscard]] constexpr bool takes_sparse_values(std::uint32_t channels, std::uint32_t rows) noexcept {
  return port::unrolled != 1 && channels <= 8 && rows <= 2;
}

// clang-format off
#define HEED_CHANNEL(word, sum)             \
  "uxtb16 lr, " word "\n"                   \
  "sxtb16 " word ", " word ", ror #8\n"     \
  "smlad " sum ", lr, r2, " sum "\n"        \
  "smlad " sum ", " word ", r3, " sum "\n"
#define HEED_CHANNEL_AT(at, sum) "ldr r12, [r1, #" at "]\n" HEED_CHANNEL("r12", sum)

/// sums [8] = sum over keys of p * factor, rounded to nearest even, times the key's value in the first eight channels;
/// p [fours * 4] is lost. A list takes its place: where the values of four keys are, their weights (0, 2) and (1, 3); it ends with a null pointer.
/// Numbers of values whose key is even have 128 added.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void sum_sparse_values(float* /*p*/, std::uint32_t /*fours*/,
                                                                    const std::byte* /*values*/, std::int32_t* /*sums*/,
                                                                    float /*factor*/) noexcept {
  asm("push {r0, r3-r11, lr}\n"
      "mov r12, r0\n"
      "sub r10, r2, r0, lsl #2\n"     // values of a four are as often 64 bytes from here as its weights 16 from 0
      "add r1, r0, r1, lsl #4\n"
      "mov r8, #0x00010001\n"
      "mov lr, #0\n"
      "1:\n"
      "ldmia r0, {r4-r7}\n"
      "cbnz r4, 5f\n"
      "orr r9, r5, r6\n"
      "orrs r9, r7\n"
      "beq 2f\n"
      "5:\n"
      "add r3, r10, r0, lsl #2\n"
      "vldmia r0!, {s4-s7}\n"
      "vmul.f32 s4, s4, s0\n"
      "vmul.f32 s5, s5, s0\n"
      "vmul.f32 s6, s6, s0\n"
      "vmul.f32 s7, s7, s0\n"
      "vcvtr.s32.f32 s4, s4\n"
      "vcvtr.s32.f32 s5, s5\n"
      "vcvtr.s32.f32 s6, s6\n"
      "vcvtr.s32.f32 s7, s7\n"
      "vmov r4, r5, s4, s5\n"
      "vmov r6, r7, s6, s7\n"
      "pkhbt r4, r4, r6, lsl #16\n"
      "pkhbt r5, r5, r7, lsl #16\n"
      "smlad lr, r4, r8, lr\n"
      "stmia r12!, {r3-r5}\n"
      "cmp r0, r1\n"
      "bne 1b\n"
      "b 6f\n"
      "2:\n"
      "add r0, #16\n"
      "cmp r0, r1\n"
      "bne 1b\n"
      "6:\n"
      "mov r3, #0\n"
      "str r3, [r12]\n"
      "sub r4, r3, lr, lsl #7\n"
      "mov r5, r4\n"
      "mov r6, r4\n"
      "mov r7, r4\n"
      "mov r8, r4\n"
      "mov r9, r4\n"
      "mov r10, r4\n"
      "mov r11, r4\n"
      "ldr r0, [sp]\n"
      "b 4f\n"
      "3:\n"
      HEED_CHANNEL_AT("0", "r4") HEED_CHANNEL_AT("4", "r5") HEED_CHANNEL_AT("8", "r6") HEED_CHANNEL_AT("12", "r7")
      HEED_CHANNEL_AT("16", "r8") HEED_CHANNEL_AT("20", "r9")
      "ldrd r12, r1, [r1, #24]\n"
      HEED_CHANNEL("r12", "r10") HEED_CHANNEL("r1", "r11")
      "4:\n"
      "ldmia r0!, {r1-r3}\n"
      "cmp r1, #0\n"
      "bne 3b\n"
      "ldr r3, [sp, #4]\n"
      "stmia r3, {r4-r11}\n"
      "add sp, #8\n"
      "pop {r4-r11, pc}");
}
// clang-format on
#undef HEED_CHANNEL
#undef HEED_CHANNEL_AT

}  // namespace heed::detail
