// SPDX-License-Identifier: MIT
//
// Two instructions for a product, and one for a number of the row, of which eight outputs make use, or the last four.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

// clang-format off
// One input of four outputs or eight: bytes with a bias (ldrb) or signed (ldrsb).
#define HEED_LOAD_NUMBER "ldrsh r3, [r1], #2\n"
#define HEED_ONE_PRODUCT(load, place, sum)      \
  load " r2, [r0, #" place "\n"       \
  "mla " sum ", r2, r3, " sum "\n"
#define HEED_FOUR_PRODUCTS(load, p0, p1, p2, p3)                                  \
  HEED_ONE_PRODUCT(load, p0, "r4") HEED_ONE_PRODUCT(load, p1 "]", "r5")           \
  HEED_ONE_PRODUCT(load, p2 "]", "r6") HEED_ONE_PRODUCT(load, p3 "]", "r7")
#define HEED_MORE_PRODUCTS(load, p4, p5, p6, p7)                                  \
  HEED_ONE_PRODUCT(load, p4 "]", "r8") HEED_ONE_PRODUCT(load, p5 "]", "r9")       \
  HEED_ONE_PRODUCT(load, p6 "]", "r10") HEED_ONE_PRODUCT(load, p7 "]", "r11")
#define HEED_FOUR(load, ...) HEED_LOAD_NUMBER HEED_FOUR_PRODUCTS(load, __VA_ARGS__)
#define HEED_EIGHT(load, p0, p1, p2, p3, ...) \
  HEED_FOUR(load, p0, p1, p2, p3) HEED_MORE_PRODUCTS(load, __VA_ARGS__)
// The first load of eight inputs moves on to them.
#define HEED_EIGHT_INPUTS                                        \
  HEED_EIGHT("ldrb", "128]!", "4", "8", "12", "16", "20", "24", "28")  \
  HEED_EIGHT("ldrsb", "1]", "5", "9", "13", "17", "21", "25", "29")    \
  HEED_EIGHT("ldrb", "2]", "6", "10", "14", "18", "22", "26", "30")    \
  HEED_EIGHT("ldrsb", "3]", "7", "11", "15", "19", "23", "27", "31")   \
  HEED_EIGHT("ldrb", "64]", "68", "72", "76", "80", "84", "88", "92")  \
  HEED_EIGHT("ldrsb", "65]", "69", "73", "77", "81", "85", "89", "93") \
  HEED_EIGHT("ldrb", "66]", "70", "74", "78", "82", "86", "90", "94")  \
  HEED_EIGHT("ldrsb", "67]", "71", "75", "79", "83", "87", "91", "95")
#ifdef __OPTIMIZE_SIZE__
#define HEED_ALL_INPUTS "1:\n" HEED_EIGHT_INPUTS
#else
// Sixteen inputs a round; the first one begins in the middle where they are an odd number of eights.
#define HEED_ALL_INPUTS "tst r2, #2\n" "bne 2f\n" "1:\n" HEED_EIGHT_INPUTS "2:\n" HEED_EIGHT_INPUTS
#endif

/// sums [8] of a run of `words` words of each output, an even number.
[[gnu::naked, gnu::noinline]] inline void sums_of_bytes(const std::byte* /*weights*/, const std::byte* /*run*/,
                                                        std::uint32_t /*words*/, std::int32_t* /*to*/) noexcept {
  asm("push {r3-r11, lr}\n"
      "ldr r4, [r1], #4\n"
      "add r12, r1, r2, lsl #3\n"
      "sub r0, r0, #128\n"
      "mov r5, r4\n"
      "mov r6, r4\n"
      "mov r7, r4\n"
      "mov r8, r4\n"
      "mov r9, r4\n"
      "mov r10, r4\n"
      "mov r11, r4\n"
      HEED_ALL_INPUTS
      "cmp r1, r12\n"
      "bne 1b\n"
      "pop {r3}\n"
      "stm r3, {r4-r11}\n"
      "pop {r4-r11, pc}\n");
}

/// The first four of these sums.
[[gnu::naked, gnu::noinline]] inline void four_sums_of_bytes(const std::byte* /*weights*/, const std::byte* /*run*/,
                                                             std::uint32_t /*words*/, std::int32_t* /*to*/) noexcept {
  asm("push {r3-r7, lr}\n"
      "ldr r4, [r1], #4\n"
      "add r12, r1, r2, lsl #3\n"
      "sub r0, r0, #128\n"
      "mov r5, r4\n"
      "mov r6, r4\n"
      "mov r7, r4\n"
      "1:\n"
      HEED_FOUR("ldrb", "128]!", "4", "8", "12") HEED_FOUR("ldrsb", "1]", "5", "9", "13")
      HEED_FOUR("ldrb", "2]", "6", "10", "14") HEED_FOUR("ldrsb", "3]", "7", "11", "15")
      HEED_FOUR("ldrb", "64]", "68", "72", "76") HEED_FOUR("ldrsb", "65]", "69", "73", "77")
      HEED_FOUR("ldrb", "66]", "70", "74", "78") HEED_FOUR("ldrsb", "67]", "71", "75", "79")
      "cmp r1, r12\n"
      "bne 1b\n"
      "pop {r3}\n"
      "stm r3, {r4-r7}\n"
      "pop {r4-r7, pc}\n");
}
// clang-format on
#undef HEED_LOAD_NUMBER
#undef HEED_ONE_PRODUCT
#undef HEED_FOUR_PRODUCTS
#undef HEED_MORE_PRODUCTS
#undef HEED_FOUR
#undef HEED_EIGHT
#undef HEED_EIGHT_INPUTS
#undef HEED_ALL_INPUTS

}  // namespace heed::detail
