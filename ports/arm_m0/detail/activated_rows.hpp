// SPDX-License-Identifier: MIT
//
// x times its share in integers times a factor, one after the other, as long as the first bits of all steps decide
// them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// Numbers up to `end`, and the distance of their factors in bytes: 4, or 0 where all have the same.
struct ActivatedRow {
  const float* end;
  std::uint32_t factor_step;
};

// r3, a number of 8 bits below 1, is |x| times a power of two to nearest, at most `most`.
#define HEED_MAGNITUDE(places, most) \
  "lsls r5, r4, #1\n"                \
  "lsrs r5, r5, #24\n"               \
  "movs r6, #" places                \
  "\n"                               \
  "subs r6, r6, r5\n"                \
  "cmp r6, #12\n"                    \
  "blt 5f\n"                         \
  "movs r7, #1\n"                    \
  "lsls r7, r7, #31\n"               \
  "lsls r3, r4, #8\n"                \
  "orrs r3, r7\n"                    \
  "lsrs r3, r6\n"                    \
  "adds r3, #128\n"                  \
  "lsls r6, r3, #24\n"               \
  "beq 7f\n"                         \
  "lsrs r3, r3, #8\n"                \
  "ldr r6, =" most                   \
  "\n"                               \
  "cmp r3, r6\n"                     \
  "bls 6f\n"                         \
  "5: ldr r3, =" most                \
  "\n"                               \
  "6:\n"
// d for r3, as integer_sigmoid() and integer_gaussian() have it.
#define HEED_SIGMOID HEED_MAGNITUDE("142", "2839") "ldr r6, =1477\n" HEED_NEAREST("r6")
#define HEED_GAUSSIAN           \
  HEED_MAGNITUDE("141", "2047") \
  "movs r7, r3\n"               \
  "muls r7, r7\n"               \
  "lsrs r7, r7, #9\n"           \
  "adds r7, #1\n"               \
  "lsrs r7, r7, #1\n"           \
  "ldr r6, =843\n"              \
  "muls r6, r7\n"               \
  "ldr r7, =4830129\n"          \
  "adds r6, r6, r7\n"           \
  "lsrs r6, r6, #12\n" HEED_NEAREST("r6")
#define HEED_NEAREST(factor) \
  "muls r3, " factor         \
  "\n"                       \
  "lsrs r3, r3, #9\n"        \
  "adds r3, #1\n"            \
  "lsrs r3, r3, #1\n"
// Shifts r5 left by so many places where none of those bits is set that are left above `rest`.
#define HEED_NORMALIZE(rest, places) \
  "lsrs r3, r5, #" rest              \
  "\n"                               \
  "bne 1f\n"                         \
  "lsls r5, r5, #" places            \
  "\n"                               \
  "subs r6, #" places                \
  "\n"                               \
  "1:\n"
// r7, to which a half and what may lack is added.
#define HEED_ROUND(half, lacking) \
  "adds r7, #" half               \
  "\n"                            \
  "bcs 7f\n"                      \
  "uxtb r3, r7\n"                 \
  "cmp r3, #" lacking             \
  "\n"                            \
  "bcc 7f\n"
#define HEED_ACTIVATED_ROW(distance) \
  ".syntax unified\n"                                                                                             \
  "push {r4-r7, lr}\n"                                                                                            \
  "mov r4, r8\n"                                                                                                  \
  "mov r5, r9\n"                                                                                                  \
  "push {r3-r5}\n"                                                                                                \
  "ldmia r3!, {r4, r5}\n"                                                                                         \
  "mov r8, r4\n"                                                                                                  \
  "mov r9, r5\n"                                                                                                  \
  "movs r4, #128\n"                                                                                               \
  "lsls r4, r4, #8\n"                                                                                             \
  "mov r12, r4\n"                                                                                                 \
  "b 8f\n"                                                                                                        \
  "9: pop {r3-r5}\n"                                                                                              \
  "mov r8, r4\n"                                                                                                  \
  "mov r9, r5\n"                                                                                                  \
  "pop {r4-r7, pc}\n"                                                                                             \
  "8: cmp r0, r8\n"                                                                                               \
  "beq 9b\n"                                                                                                      \
  "ldmia r0!, {r4}\n" distance /* The power of two, as integer_exp2() has it, and the divisor at r3. */           \
  "uxtb r6, r3\n"                                                                                                 \
  "lsrs r3, r3, #8\n"                                                                                             \
  "movs r7, #11\n"                                                                                                \
  "muls r7, r6\n"                                                                                                 \
  "ldr r5, =11008\n"                                                                                              \
  "subs r5, r5, r7\n"                                                                                             \
  "muls r5, r6\n"                                                                                                 \
  "movs r6, #1\n"                                                                                                 \
  "lsls r6, r6, #22\n"                                                                                            \
  "subs r6, r6, r5\n"                                                                                             \
  "adds r3, #8\n"                                                                                                 \
  "lsrs r6, r3\n"                                                                                                 \
  "movs r3, #1\n"                                                                                                 \
  "lsls r3, r3, #14\n"                                                                                            \
  "adds r3, r3, r6\n" /* The share at r5, as share_by_steps() has it. */                                          \
  "ldr r5, =2800\n"                                                                                               \
  "muls r5, r6\n"                                                                                                 \
  "lsrs r5, r5, #14\n"                                                                                            \
  "ldr r7, =6768\n"                                                                                               \
  "subs r7, r7, r5\n"                                                                                             \
  "muls r7, r6\n"                                                                                                 \
  "lsrs r7, r7, #14\n"                                                                                            \
  "ldr r5, =8128\n"                                                                                               \
  "subs r5, r5, r7\n"                                                                                             \
  "ldr r7, =134218640\n"                                                                                          \
  "lsrs r6, r3, #1\n"                                                                                             \
  "adds r6, r6, r7\n"                                                                                             \
  "movs r7, r5\n"                                                                                                 \
  "muls r7, r3\n"                                                                                                 \
  "subs r7, r6, r7\n"                                                                                             \
  "asrs r7, r7, #8\n"                                                                                             \
  "muls r7, r5\n"                                                                                                 \
  "asrs r7, r7, #19\n"                                                                                            \
  "adds r5, r5, r7\n"                                                                                             \
  "movs r7, r5\n"                                                                                                 \
  "muls r7, r3\n"                                                                                                 \
  "subs r7, r6, r7\n"                                                                                             \
  "cmp r7, r3\n"                                                                                                  \
  "movs r7, #0\n"                                                                                                 \
  "adcs r5, r7\n"                                                                                                 \
  "cmp r4, #0\n"                                                                                                  \
  "bge 6f\n"                                                                                                      \
  "movs r6, #1\n"                                                                                                 \
  "lsls r6, r6, #13\n"                                                                                            \
  "subs r5, r6, r5\n"                                                                                             \
  "bne 6f\n"                                                                                                      \
  "7: subs r0, #4\n"                                                                                              \
  "b 9b\n" /* x's exponent less 30, and the share from bit 15 on. */                                              \
  "6: lsls r6, r4, #1\n"                                                                                          \
  "lsrs r6, r6, #24\n"                                                                                            \
  "subs r6, #30\n"                                                                                                \
  "cmp r6, #225\n"                                                                                                \
  "bcs 7b\n"                                                                                                      \
  "lsls r5, r5, #2\n" HEED_NORMALIZE("8", "8") HEED_NORMALIZE("12", "4") HEED_NORMALIZE("14", "2")                \
      HEED_NORMALIZE("15", "1") /* The product's first 32 bits, which lack less than 1, rounded. */               \
  "lsls r7, r4, #9\n"                                                                                             \
  "lsrs r7, r7, #17\n"                                                                                            \
  "add r7, r12\n"                                                                                                 \
  "muls r7, r5\n"                                                                                                 \
  "uxtb r3, r4\n"                                                                                                 \
  "muls r3, r5\n"                                                                                                 \
  "lsrs r3, r3, #8\n"                                                                                             \
  "adds r7, r7, r3\n"                                                                                             \
  "bmi 1f\n"                                                                                                      \
  "adds r7, r7, r7\n"                                                                                             \
  "subs r6, #1\n"                                                                                                 \
  "1: adds r7, #128\n"                                                                                            \
  "bcs 7f\n"                                                                                                      \
  "lsls r3, r7, #24\n"                                                                                            \
  "beq 7f\n" /* Times the factor. */                                                                              \
  "ldr r5, [r1]\n"                                                                                                \
  "lsls r3, r5, #1\n"                                                                                             \
  "lsrs r3, r3, #24\n"                                                                                            \
  "subs r3, #1\n"                                                                                                 \
  "cmp r3, #254\n"                                                                                                \
  "bcs 7f\n"                                                                                                      \
  "adds r6, r6, r3\n"                                                                                             \
  "subs r6, #96\n"                                                                                                \
  "cmp r6, #252\n"                                                                                                \
  "bhi 7f\n"                                                                                                      \
  "eors r4, r5\n"                                                                                                 \
  "lsrs r4, r4, #31\n"                                                                                            \
  "lsls r4, r4, #8\n"                                                                                             \
  "adds r6, r6, r4\n"                                                                                             \
  "lsrs r4, r7, #16\n"                                                                                            \
  "lsls r3, r7, #16\n"                                                                                            \
  "lsrs r3, r3, #24\n"                                                                                            \
  "lsls r7, r5, #9\n"                                                                                             \
  "lsrs r7, r7, #17\n"                                                                                            \
  "add r7, r12\n"                                                                                                 \
  "uxtb r5, r5\n"                                                                                                 \
  "muls r5, r4\n"                                                                                                 \
  "muls r3, r7\n"                                                                                                 \
  "adds r3, r3, r5\n"                                                                                             \
  "lsrs r3, r3, #8\n"                                                                                             \
  "muls r7, r4\n"                                                                                                 \
  "adds r7, r7, r3\n"                                                                                             \
  "bmi 1f\n"                                                                                                      \
  "adds r7, r7, r7\n" HEED_ROUND("0x82", "3") "b 2f\n"                                                            \
  "1: adds r6, #1\n" HEED_ROUND("0x81", "2") "2: lsrs r7, r7, #8\n"                                               \
  "lsls r6, r6, #23\n"                                                                                            \
  "adds r7, r7, r6\n"                                                                                             \
  "stmia r2!, {r7}\n"                                                                                             \
  "add r1, r9\n"                                                                                                  \
  "b 8b\n"                                                                                                        \
  "7: subs r0, #4\n"                                                                                              \
  "b 9b\n"                                                                                                        \
  ".ltorg\n"

/// to = activated numbers times factors; returns the first number that is left, or `end`: (numbers, factors, to, row).
[[gnu::naked, gnu::noinline]] inline const float* silu_numbers(const float*, const float*, float*,
                                                               const ActivatedRow*) noexcept {
  asm(HEED_ACTIVATED_ROW(HEED_SIGMOID));
}
[[gnu::naked, gnu::noinline]] inline const float* gelu_numbers(const float*, const float*, float*,
                                                               const ActivatedRow*) noexcept {
  asm(HEED_ACTIVATED_ROW(HEED_GAUSSIAN));
}
#undef HEED_ACTIVATED_ROW
#undef HEED_ROUND
#undef HEED_NORMALIZE
#undef HEED_NEAREST
#undef HEED_GAUSSIAN
#undef HEED_SIGMOID
#undef HEED_MAGNITUDE

}  // namespace heed::detail
