// SPDX-License-Identifier: MIT
//
// The weights of the shared kernel, in integers and four at a time; code for size takes those of single floats.
#pragma once

#ifdef __OPTIMIZE_SIZE__
#include <single_floats/kernels/integer_softmax.hpp>
#else

#include <bit>
#include <cstdint>

#include "common/kernel_contract.hpp"

namespace heed::detail {

// clang-format off
// A jump that is seldom taken costs less than a choice: where it leads, `there`, and where it comes `back` to.
#define HEED_COMPARE(greatest, condition, x, there, back) \
  "cmp " x ", " greatest "\n" "b" condition " " there "f\n" back ":\n"

// Of the bits of four floats. Without a sign, those of negative floats lie above the others and fall as the floats grow;
// with one, those of others grow as they should.
#define HEED_COMPARE_FOUR(greatest, condition)          \
  HEED_COMPARE(greatest, condition, "r4", "12", "2")    \
  HEED_COMPARE(greatest, condition, "r5", "13", "3")    \
  HEED_COMPARE(greatest, condition, "r6", "14", "4")    \
  HEED_COMPARE(greatest, condition, "r8", "15", "5")
#define HEED_TAKE_FOUR(TAKE) TAKE("r4", "12", "2") TAKE("r5", "13", "3") TAKE("r6", "14", "4") TAKE("r8", "15", "5")
#define HEED_TAKE(x, there, back) there ":\n" "mov %[greatest], " x "\n" "b " back "b\n"
#define HEED_TAKE_NEGATIVE(x, there, back) there ":\n" "movs %[greatest], " x "\n" "bmi " back "b\n" "b 6f\n"
#define HEED_GREATEST(condition, TAKE, when_left)                                             \
  asm("1:\n"                                                                                  \
      "ldmia %[x]!, {r4-r6, r8}\n"                                                            \
      HEED_COMPARE_FOUR("%[greatest]", condition)                                             \
      "subs %[fours], #1\n"                                                                   \
      "bne 1b\n"                                                                              \
      "b 7f\n"                                                                                \
      HEED_TAKE_FOUR(TAKE)                                                                    \
      when_left                                                                               \
      "7:\n"                                                                                  \
      : [x] "+&r"(x), [fours] "+&r"(fours), [greatest] "+&r"(greatest)                        \
      :                                                                                       \
      : "memory", "cc", "r4", "r5", "r6", "r8")

/// The greatest of the scores [keys] in `seen`, which is not empty.
[[nodiscard, gnu::noinline]] inline float greatest_score(float* scores, KeyRange seen) noexcept {
  const float* x = scores + seen.begin;
  const float* const end = scores + seen.end;
  auto greatest = std::bit_cast<std::int32_t>(lowest);
  std::uint32_t fours = (seen.end - seen.begin) / 4;
  // Negative ones, up to the four that another is among.
  if (fours != 0) HEED_GREATEST("lo", HEED_TAKE_NEGATIVE, "6:\n" "sub %[x], #16\n");
  if (fours != 0) HEED_GREATEST("gt", HEED_TAKE, "");
  for (; x != end; ++x) {
    const auto bits = std::bit_cast<std::int32_t>(*x);
    const bool greater =
        greatest < 0 ? static_cast<std::uint32_t>(bits) < static_cast<std::uint32_t>(greatest) : bits > greatest;
    if (greater) greatest = bits;
  }
  return std::bit_cast<float>(greatest);
}

// rN has the bits of 49160 + d: the weight's steps of 2^-8 below 1, and 2048, so that the bits from the eighth on are
// its shift. It becomes 2^22 - f (11008 - 11 f), shifted, and then p. `there` a weight of 0 takes no scale.
#define HEED_WEIGH(x, number, scale, there, back, greater) \
  "cmp " x ", r3\n"                                   \
  "bhi " there "f\n"                                  \
  "uxtb r11, " x "\n"                                 \
  "lsr " x ", " x ", #8\n"                            \
  "mls r12, r11, r9, r10\n"                           \
  "mls r12, r11, r12, lr\n"                           \
  "lsr " x ", r12, " x "\n"                           \
  "vmov " number ", " x "\n"                          \
  "vcvt.f32.u32 " number ", " number ", #14\n"        \
  "vadd.f32 s2, s2, " number "\n"                     \
  "vmul.f32 " number ", " number ", " scale "\n"      \
  "vmov " x ", " number "\n"                          \
  "cmp " x ", r8\n"                                   \
  "bhi " greater "f\n"                                \
  back ":\n"
#define HEED_WEIGH_NOTHING(x, number, there, back) \
  there ":\n"                                         \
  "vadd.f32 s3, s3, " number "\n"                     \
  "mov " x ", #0\n"                                   \
  "b " back "b\n"
#define HEED_TAKE_GREATER(x, greater, back) greater ":\n" "mov r8, " x "\n" "b " back "b\n"

/// `fours` times four scores become p; from s0 = maximum, returns the sum in s0 and keeps the greatest p at `greatest`.
/// What is only looked at for a NaN is added up in s3: 49160 + d of weights of 0, and products of two of them, which
/// are positive, or NaN. s12-s15 are 0.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline float weigh_fours(float* /*scores*/, const float* /*scales*/,
                                                               std::uint32_t /*fours*/, std::uint32_t* /*greatest*/,
                                                               float /*maximum*/) noexcept {
  asm("push {r3-r11, lr}\n"
      "ldr r8, [r3]\n"
      "movw r3, #0x1600\n"  // of the last weight that is not 0
      "movt r3, #0x4740\n"
      "movw r9, #0x0800\n"
      "movt r9, #0x4740\n"
      "vmov s1, r9\n"
      "mov r9, #0\n"
      "vmov s2, s3, r9, r9\n"
      "vmov s12, s13, r9, r9\n"
      "vmov s14, s15, r9, r9\n"
      "mov r9, #11\n"
      "mov r10, #11008\n"
      "mov lr, #0x400000\n"
      "1:\n"
      "vldmia r0, {s4-s7}\n"
      "vldmia r1!, {s8-s11}\n"
      "vsub.f32 s4, s0, s4\n"
      "vsub.f32 s5, s0, s5\n"
      "vsub.f32 s6, s0, s6\n"
      "vsub.f32 s7, s0, s7\n"
      "vadd.f32 s4, s4, s1\n"
      "vadd.f32 s5, s5, s1\n"
      "vadd.f32 s6, s6, s1\n"
      "vadd.f32 s7, s7, s1\n"
      "vmov r4, r5, s4, s5\n"
      "vmov r6, r7, s6, s7\n"
      HEED_WEIGH("r4", "s4", "s8", "12", "2", "22")
      HEED_WEIGH("r5", "s5", "s9", "13", "3", "23")
      HEED_WEIGH("r6", "s6", "s10", "14", "4", "24")
      HEED_WEIGH("r7", "s7", "s11", "15", "5", "25")
      "stmia r0!, {r4-r7}\n"
      "subs r2, #1\n"
      "bne 1b\n"
      "6:\n"
      "vcmp.f32 s3, s3\n"
      "vmrs APSR_nzcv, fpscr\n"
      "itt vs\n"
      "vaddvs.f32 s2, s2, s3\n"
      "vmovvs r8, s3\n"
      "vmov.f32 s0, s2\n"
      "pop {r3}\n"
      "str r8, [r3]\n"
      "pop {r4-r11, pc}\n"
      "12:\n"
      "cmp r5, r3\n"
      "bls 7f\n"
      "cmp r6, r3\n"
      "bls 7f\n"
      "cmp r7, r3\n"
      "bls 7f\n"
      "vfma.f32 s3, s4, s5\n"
      "vfma.f32 s3, s6, s7\n"
      "vstmia r0!, {s12-s15}\n"
      "subs r2, #1\n"
      "bne 1b\n"
      "b 6b\n"
      HEED_WEIGH_NOTHING("r4", "s4", "7", "2")
      HEED_WEIGH_NOTHING("r5", "s5", "13", "3")
      HEED_WEIGH_NOTHING("r6", "s6", "14", "4")
      HEED_WEIGH_NOTHING("r7", "s7", "15", "5")
      HEED_TAKE_GREATER("r4", "22", "2")
      HEED_TAKE_GREATER("r5", "23", "3")
      HEED_TAKE_GREATER("r6", "24", "4")
      HEED_TAKE_GREATER("r7", "25", "5"));
}
// clang-format on
#undef HEED_COMPARE
#undef HEED_COMPARE_FOUR
#undef HEED_TAKE_FOUR
#undef HEED_TAKE
#undef HEED_TAKE_NEGATIVE
#undef HEED_GREATEST
#undef HEED_WEIGH
#undef HEED_WEIGH_NOTHING
#undef HEED_TAKE_GREATER

/// Scores become p = weight * scale, or 0 where the weight is 0, whatever the scale; those in the panels that `seen`
/// touches beside it become 0.
inline void weigh_scores(float* scores, KeyRange seen, const float* scales, WeighedRow& row) noexcept {
  const std::uint32_t first = seen.begin / 4 * 4;
  const std::uint32_t end = (seen.end + 3) / 4 * 4;
  for (std::uint32_t key = seen.begin / panel_width * panel_width; key < first; ++key) scores[key] = 0.0F;
  for (std::uint32_t key = first; key < seen.begin; ++key) scores[key] = minus_infinity;
  for (std::uint32_t key = seen.end; key < end; ++key) scores[key] = minus_infinity;
  for (std::uint32_t key = end; key % panel_width != 0; ++key) scores[key] = 0.0F;
  auto greatest = std::bit_cast<std::uint32_t>(row.greatest);
  row.sum += weigh_fours(scores + first, scales + first, (end - first) / 4, &greatest, row.maximum);
  row.greatest = std::bit_cast<float>(greatest);
}

}  // namespace heed::detail

#endif
