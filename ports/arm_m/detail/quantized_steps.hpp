// SPDX-License-Identifier: MIT
//
// Eight sums in s0-s7 with numbers of 8 and 4 bits, dequantized on the way: their scales stay in s8-s15. A compiler
// moves every integer to the FPU on its own; here two go at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <single_floats/detail/steps.hpp>

namespace heed::detail {

// clang-format off
// Eight integers in s16-s23 become floats and take their scales.
#define HEED_SCALE_EIGHT     \
  "vcvt.f32.s32 s16, s16\n"  \
  "vcvt.f32.s32 s17, s17\n"  \
  "vcvt.f32.s32 s18, s18\n"  \
  "vcvt.f32.s32 s19, s19\n"  \
  "vcvt.f32.s32 s20, s20\n"  \
  "vcvt.f32.s32 s21, s21\n"  \
  "vcvt.f32.s32 s22, s22\n"  \
  "vcvt.f32.s32 s23, s23\n"  \
  "vmul.f32 s16, s16, s8\n"  \
  "vmul.f32 s17, s17, s9\n"  \
  "vmul.f32 s18, s18, s10\n" \
  "vmul.f32 s19, s19, s11\n" \
  "vmul.f32 s20, s20, s12\n" \
  "vmul.f32 s21, s21, s13\n" \
  "vmul.f32 s22, s22, s14\n" \
  "vmul.f32 s23, s23, s15\n"

// They are added `factor` times.
#define HEED_ADD_EIGHT(factor)     \
  "vfma.f32 s0, " factor ", s16\n" \
  "vfma.f32 s1, " factor ", s17\n" \
  "vfma.f32 s2, " factor ", s18\n" \
  "vfma.f32 s3, " factor ", s19\n" \
  "vfma.f32 s4, " factor ", s20\n" \
  "vfma.f32 s5, " factor ", s21\n" \
  "vfma.f32 s6, " factor ", s22\n" \
  "vfma.f32 s7, " factor ", s23\n"

// One step, `at` bytes from B on; or B moves by `moved` bytes first.
#define HEED_FOUR_BYTES(first, at, lane, s0, s1, s2, s3) \
  "ldrsb %[w], " first                                   \
  "ldrsb %[x], [%[b], #" at "+" lane "+1]\n"             \
  "ldrsb %[y], [%[b], #" at "+" lane "+2]\n"             \
  "ldrsb %[z], [%[b], #" at "+" lane "+3]\n"             \
  "vmov " s0 ", " s1 ", %[w], %[x]\n"                    \
  "vmov " s2 ", " s3 ", %[y], %[z]\n"
#define HEED_INT8_FROM(first, at)                                              \
  HEED_FOUR_BYTES(first, at, "0", "s16", "s17", "s18", "s19")                  \
  HEED_FOUR_BYTES("[%[b], #" at "+4]\n", at, "4", "s20", "s21", "s22", "s23")  \
  HEED_SCALE_EIGHT
#define HEED_MOVE_INT8(moved) HEED_INT8_FROM("[%[b], #" moved "]!\n", "0")
#define HEED_STEP_INT8(at, factor) HEED_INT8_FROM("[%[b], #" at "]\n", at) HEED_ADD_EIGHT(factor)

// The same with half of the bits of four bytes, which hold the values + 8.
#define HEED_FOUR_NIBBLES(from, s0, s1, s2, s3)  \
  "ldr %[y], " from                              \
  "eor %[y], %[y], #0x88888888\n"                \
  "sbfx %[w], %[y], #%c[shift], #4\n"            \
  "sbfx %[x], %[y], #%c[shift]+8, #4\n"          \
  "vmov " s0 ", " s1 ", %[w], %[x]\n"            \
  "sbfx %[w], %[y], #%c[shift]+16, #4\n"         \
  "sbfx %[x], %[y], #%c[shift]+24, #4\n"         \
  "vmov " s2 ", " s3 ", %[w], %[x]\n"
#define HEED_INT4_FROM(first, at)                                           \
  HEED_FOUR_NIBBLES(first, "s16", "s17", "s18", "s19")                      \
  HEED_FOUR_NIBBLES("[%[b], #" at "+4]\n", "s20", "s21", "s22", "s23")      \
  HEED_SCALE_EIGHT
#define HEED_MOVE_INT4(moved) HEED_INT4_FROM("[%[b], #" moved "]!\n", "0")
#define HEED_STEP_INT4(at, factor) HEED_INT4_FROM("[%[b], #" at "]\n", at) HEED_ADD_EIGHT(factor)

// Panels with all of their steps: eight a round, in code for speed, and the others one by one. `vector` is the bytes of
// a step. Loads move B, and so they begin a round before it.
#define HEED_PANELS(kind, vector)          \
  "0:\n"                                   \
  "vldmia %[start], {s0-s7}\n"             \
  "vldmia %[factors], {s8-s15}\n"          \
  "ldr %[w], %[start_panel]\n"             \
  "add %[start], %[w]\n"                   \
  "add %[factors], #64\n"                  \
  "mov %[rounds], %[count]\n"              \
  ".if %c[unrolled] != 1\n"                \
  "lsrs %[rounds], %[count], #3\n"         \
  "beq 2f\n"                               \
  "sub %[b], #8*" vector "\n"              \
  "1:\n"                                   \
  "vldmia %[a]!, {s24-s31}\n"              \
  HEED_MOVE_##kind("8*" vector)            \
  HEED_ADD_EIGHT("s24")                    \
  HEED_STEP_##kind(vector, "s25")          \
  HEED_STEP_##kind("2*" vector, "s26")     \
  HEED_STEP_##kind("3*" vector, "s27")     \
  HEED_STEP_##kind("4*" vector, "s28")     \
  HEED_STEP_##kind("5*" vector, "s29")     \
  HEED_STEP_##kind("6*" vector, "s30")     \
  HEED_STEP_##kind("7*" vector, "s31")     \
  "subs %[rounds], #1\n"                   \
  "bne 1b\n"                               \
  "add %[b], #8*" vector "\n"              \
  "2:\n"                                   \
  "ands %[rounds], %[count], #7\n"         \
  "beq 4f\n"                               \
  ".endif\n"                               \
  "sub %[b], #" vector "\n"                \
  "3:\n"                                   \
  "vldmia %[a]!, {s24}\n"                  \
  HEED_MOVE_##kind(vector)                 \
  HEED_ADD_EIGHT("s24")                    \
  "subs %[rounds], #1\n"                   \
  "bne 3b\n"                               \
  "add %[b], #" vector "\n"                \
  "4:\n"                                   \
  "vstmia %[end], {s0-s7}\n"               \
  "add %[end], #64\n"                      \
  "sub %[a], %[a], %[count], lsl #2\n"     \
  "subs %[panels], #1\n"                   \
  "bne 0b\n"
#define HEED_CLOBBERED                                                                                         \
  "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",      \
  "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28",     \
  "s29", "s30", "s31"

/// end [8] = start [8] + A x B of signed bytes in panels of sixteen, one after the other, with factors [8] of each.
[[gnu::always_inline]] inline void add_int8_panels(QuantizedSteps steps, const float* factors,
                                                   PanelSums sums) noexcept {
  const std::ptrdiff_t start_panel = sums.start_panel * std::ptrdiff_t{sizeof(float)};
  std::uint32_t rounds;
  std::int32_t w, x, y, z;
  asm volatile(
      HEED_PANELS(INT8, "16")
      : [a] "+&r"(steps.a), [b] "+&r"(steps.b), [start] "+&r"(sums.start), [end] "+&r"(sums.end),
        [factors] "+&r"(factors), [panels] "+&r"(sums.panels), [rounds] "=&r"(rounds), [w] "=&r"(w), [x] "=&r"(x),
        [y] "=&r"(y), [z] "=&r"(z)
      : [count] "r"(steps.count), [start_panel] "m"(start_panel), [unrolled] "i"(port::unrolled)
      : HEED_CLOBBERED);
}

/// The same with numbers of four bits, in panels of eight bytes; Shift is 0 for the first eight lanes, 4 for the others.
template <int Shift>
[[gnu::always_inline]] inline void add_int4_panels(QuantizedSteps steps, const float* factors,
                                                   PanelSums sums) noexcept {
  const std::ptrdiff_t start_panel = sums.start_panel * std::ptrdiff_t{sizeof(float)};
  std::uint32_t rounds;
  std::int32_t w, x, y;
  asm volatile(
      HEED_PANELS(INT4, "8")
      : [a] "+&r"(steps.a), [b] "+&r"(steps.b), [start] "+&r"(sums.start), [end] "+&r"(sums.end),
        [factors] "+&r"(factors), [panels] "+&r"(sums.panels), [rounds] "=&r"(rounds), [w] "=&r"(w), [x] "=&r"(x),
        [y] "=&r"(y)
      : [count] "r"(steps.count), [start_panel] "m"(start_panel), [unrolled] "i"(port::unrolled), [shift] "i"(Shift)
      : HEED_CLOBBERED);
}

/// Signed bytes in panels of sixteen, from the first of eight lanes on, with factors [8], become to [count, 16].
[[gnu::noinline]] inline void dequantize_int8_steps(const void* b, const float* factors, std::uint32_t count,
                                                float* to) noexcept {
  std::int32_t w, x, y, z;
  asm volatile(
      "vldmia %[factors], {s8-s15}\n"
      "sub %[b], #16\n"
      "1:\n"
      HEED_MOVE_INT8("16")
      "vstmia %[to], {s16-s23}\n"
      "add %[to], #64\n"
      "subs %[count], #1\n"
      "bne 1b\n"
      : [b] "+&r"(b), [to] "+&r"(to), [count] "+&r"(count), [w] "=&r"(w), [x] "=&r"(x), [y] "=&r"(y), [z] "=&r"(z)
      : [factors] "r"(factors)
      : HEED_CLOBBERED);
}

// clang-format on
#undef HEED_SCALE_EIGHT
#undef HEED_ADD_EIGHT
#undef HEED_FOUR_BYTES
#undef HEED_INT8_FROM
#undef HEED_MOVE_INT8
#undef HEED_STEP_INT8
#undef HEED_FOUR_NIBBLES
#undef HEED_INT4_FROM
#undef HEED_MOVE_INT4
#undef HEED_STEP_INT4
#undef HEED_PANELS
#undef HEED_CLOBBERED

}  // namespace heed::detail
