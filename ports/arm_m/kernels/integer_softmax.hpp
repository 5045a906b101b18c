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
      : "m"(*reinterpret_cast<const float(*)[]>(x))                                           \
      : "cc", "r4", "r5", "r6", "r8")

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

// In rN, the bits of 49160 + d: the weight's steps of 2^-8 below 1, and 2048, so that the bits from the eighth on
// are its shift. Then 2^22 - f (11008 - 11 f), shifted.
#define HEED_WEIGH(x, there, back)        \
  "cmp " x ", r3\n"                       \
  "bhi " there "f\n"                      \
  "uxtb r11, " x "\n"                     \
  "lsr " x ", " x ", #8\n"                \
  "mls r12, r11, r9, r10\n"               \
  "mls r12, r11, r12, lr\n"               \
  "lsr " x ", r12, " x "\n"               \
  back ":\n"
// A weight of 0 takes no scale; one of NaN is added to the sum and stays.
#define HEED_WEIGH_NOTHING(x, number, scale, there, back) \
  there ":\n"                             \
  "cmp " x ", #0x7F800000\n"              \
  "mov " x ", #0\n"                       \
  "vmov " scale ", " x "\n"               \
  "bls " back "b\n"                       \
  "vadd.f32 s2, s2, " number "\n"         \
  "vmov.f32 " scale ", " number "\n"      \
  "b " back "b\n"

/// `fours` times four scores become p; from s0 = maximum, returns the sum in s0 and keeps the greatest p at `greatest`.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline float weigh_fours(float* /*scores*/, const float* /*scales*/, std::uint32_t /*fours*/,
                                        std::uint32_t* /*greatest*/, float /*maximum*/) noexcept {
  asm("push {r3-r11, lr}\n"
      "ldr r8, [r3]\n"
      "movw r3, #0x1600\n"  // of the last weight that is not 0
      "movt r3, #0x4740\n"
      "movw r9, #0x0800\n"
      "movt r9, #0x4740\n"
      "vmov s1, r9\n"
      "mov r9, #0\n"
      "vmov s2, r9\n"
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
      HEED_WEIGH("r4", "12", "2")
      HEED_WEIGH("r5", "13", "3")
      HEED_WEIGH("r6", "14", "4")
      HEED_WEIGH("r7", "15", "5")
      "vmov s12, s13, r4, r5\n"
      "vmov s14, s15, r6, r7\n"
      "vcvt.f32.u32 s12, s12, #14\n"
      "vcvt.f32.u32 s13, s13, #14\n"
      "vcvt.f32.u32 s14, s14, #14\n"
      "vcvt.f32.u32 s15, s15, #14\n"
      "vadd.f32 s2, s2, s12\n"
      "vmul.f32 s12, s12, s8\n"
      "vadd.f32 s2, s2, s13\n"
      "vmul.f32 s13, s13, s9\n"
      "vadd.f32 s2, s2, s14\n"
      "vmul.f32 s14, s14, s10\n"
      "vadd.f32 s2, s2, s15\n"
      "vmul.f32 s15, s15, s11\n"
      "vmov r4, r5, s12, s13\n"
      "vmov r6, r7, s14, s15\n"
      "vstmia r0!, {s12-s15}\n"
      HEED_COMPARE("r8", "hi", "r4", "22", "6")
      HEED_COMPARE("r8", "hi", "r5", "23", "7")
      HEED_COMPARE("r8", "hi", "r6", "24", "8")
      HEED_COMPARE("r8", "hi", "r7", "25", "9")
      "subs r2, #1\n"
      "bne 1b\n"
      "vmov.f32 s0, s2\n"
      "pop {r3}\n"
      "str r8, [r3]\n"
      "pop {r4-r11, pc}\n"
      HEED_WEIGH_NOTHING("r4", "s4", "s8", "12", "2")
      HEED_WEIGH_NOTHING("r5", "s5", "s9", "13", "3")
      HEED_WEIGH_NOTHING("r6", "s6", "s10", "14", "4")
      HEED_WEIGH_NOTHING("r7", "s7", "s11", "15", "5")
      "22:\n" "mov r8, r4\n" "b 6b\n"
      "23:\n" "mov r8, r5\n" "b 7b\n"
      "24:\n" "mov r8, r6\n" "b 8b\n"
      "25:\n" "mov r8, r7\n" "b 9b\n");
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
