// SPDX-License-Identifier: MIT
//
// Eight sums in s0-s7 with numbers of 8 and 4 bits, decoded on the way: their scales stay in s8-s15. A compiler moves
// every integer to the FPU on its own; here two go at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Factors of A, `a_step` floats apart, and panels of B, one behind the other, for `count` steps: more than none.
/// B begins with the byte of the first of eight lanes.
struct QuantizedSteps {
  const float* a;
  std::ptrdiff_t a_step;
  const void* b;
  std::uint32_t count;
};

// clang-format off
#define HEED_LOAD_SUMS             \
  "vldmia %[start], {s0-s7}\n"     \
  "vldmia %[factors], {s8-s15}\n"
#define HEED_STORE_SUMS "vstmia %[sums], {s0-s7}\n"

// Eight integers in s20-s27 become floats and take their scales.
#define HEED_SCALE_EIGHT             \
  "vcvt.f32.s32 s20, s20\n"          \
  "vcvt.f32.s32 s21, s21\n"          \
  "vcvt.f32.s32 s22, s22\n"          \
  "vcvt.f32.s32 s23, s23\n"          \
  "vcvt.f32.s32 s24, s24\n"          \
  "vcvt.f32.s32 s25, s25\n"          \
  "vcvt.f32.s32 s26, s26\n"          \
  "vcvt.f32.s32 s27, s27\n"          \
  "vmul.f32 s20, s20, s8\n"          \
  "vmul.f32 s21, s21, s9\n"          \
  "vmul.f32 s22, s22, s10\n"         \
  "vmul.f32 s23, s23, s11\n"         \
  "vmul.f32 s24, s24, s12\n"         \
  "vmul.f32 s25, s25, s13\n"         \
  "vmul.f32 s26, s26, s14\n"         \
  "vmul.f32 s27, s27, s15\n"

// They are added `factor` times.
#define HEED_ADD_EIGHT(factor)       \
  "vfma.f32 s0, " factor ", s20\n"   \
  "vfma.f32 s1, " factor ", s21\n"   \
  "vfma.f32 s2, " factor ", s22\n"   \
  "vfma.f32 s3, " factor ", s23\n"   \
  "vfma.f32 s4, " factor ", s24\n"   \
  "vfma.f32 s5, " factor ", s25\n"   \
  "vfma.f32 s6, " factor ", s26\n"   \
  "vfma.f32 s7, " factor ", s27\n"

// One step, `at` bytes from B on; B moves by `moved` bytes first.
#define HEED_FOUR_BYTES(first, at, lane, s0, s1, s2, s3) \
  "ldrsb %[w], " first                                   \
  "ldrsb %[x], [%[b], #" at "+" lane "+1]\n"             \
  "ldrsb %[y], [%[b], #" at "+" lane "+2]\n"             \
  "ldrsb %[z], [%[b], #" at "+" lane "+3]\n"             \
  "vmov " s0 ", " s1 ", %[w], %[x]\n"                    \
  "vmov " s2 ", " s3 ", %[y], %[z]\n"
#define HEED_INT8_FROM(first, at)                                              \
  HEED_FOUR_BYTES(first, at, "0", "s20", "s21", "s22", "s23")                  \
  HEED_FOUR_BYTES("[%[b], #" at "+4]\n", at, "4", "s24", "s25", "s26", "s27")  \
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
  HEED_FOUR_NIBBLES(first, "s20", "s21", "s22", "s23")                      \
  HEED_FOUR_NIBBLES("[%[b], #" at "+4]\n", "s24", "s25", "s26", "s27")      \
  HEED_SCALE_EIGHT
#define HEED_MOVE_INT4(moved) HEED_INT4_FROM("[%[b], #" moved "]!\n", "0")
#define HEED_STEP_INT4(at, factor) HEED_INT4_FROM("[%[b], #" at "]\n", at) HEED_ADD_EIGHT(factor)

// Eight steps a round, or one; `vector` is the bytes of a step. Loads move B, and so they begin a round before it.
#define HEED_ROUNDS(kind, vector)       \
  HEED_LOAD_SUMS                        \
  "sub %[b], #8*" vector "\n"           \
  "1:\n"                                \
  "vldmia %[a]!, {s16-s19}\n"           \
  HEED_MOVE_##kind("8*" vector)         \
  HEED_ADD_EIGHT("s16")                 \
  HEED_STEP_##kind(vector, "s17")       \
  HEED_STEP_##kind("2*" vector, "s18")  \
  HEED_STEP_##kind("3*" vector, "s19")  \
  "vldmia %[a]!, {s16-s19}\n"           \
  HEED_STEP_##kind("4*" vector, "s16")  \
  HEED_STEP_##kind("5*" vector, "s17")  \
  HEED_STEP_##kind("6*" vector, "s18")  \
  HEED_STEP_##kind("7*" vector, "s19")  \
  "subs %[rounds], #1\n"                \
  "bne 1b\n"                            \
  "add %[b], #8*" vector "\n"           \
  HEED_STORE_SUMS
#define HEED_SINGLE_STEPS(kind, vector) \
  HEED_LOAD_SUMS                        \
  "sub %[b], #" vector "\n"             \
  "1:\n"                                \
  "vldr s16, [%[a]]\n"                  \
  "add %[a], %[a_step]\n"               \
  HEED_MOVE_##kind(vector)              \
  HEED_ADD_EIGHT("s16")                 \
  "subs %[rounds], #1\n"                \
  "bne 1b\n"                            \
  HEED_STORE_SUMS
#define HEED_CLOBBERED                                                                                         \
  "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",      \
  "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27"

/// sums [8] = start [8] + A x B of signed bytes in panels of sixteen, with factors [8].
[[gnu::always_inline]] inline void add_int8_steps(const QuantizedSteps& steps, const float* factors, const float* start,
                                             float* sums) noexcept {
  const float* a = steps.a;
  const void* b = steps.b;
  std::int32_t w, x, y, z;
  std::uint32_t rounds = port::unrolled == 1 || steps.a_step != 1 ? 0 : steps.count / 8;
  const std::uint32_t done = rounds * 8;
  if (rounds != 0) {
    asm volatile(
        HEED_ROUNDS(INT8, "16")
        : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&r"(rounds), [w] "=&r"(w), [x] "=&r"(x), [y] "=&r"(y), [z] "=&r"(z)
        : [start] "r"(start), [sums] "r"(sums), [factors] "r"(factors)
        : HEED_CLOBBERED);
    start = sums;
  }
  rounds = steps.count - done;
  if (rounds == 0) return;
  asm volatile(
      HEED_SINGLE_STEPS(INT8, "16")
      : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&r"(rounds), [w] "=&r"(w), [x] "=&r"(x), [y] "=&r"(y), [z] "=&r"(z)
      : [start] "r"(start), [sums] "r"(sums), [factors] "r"(factors), [a_step] "r"(steps.a_step * std::ptrdiff_t{sizeof(float)})
      : HEED_CLOBBERED);
}

/// The same with numbers of four bits, in panels of eight bytes; Shift is 0 for the first eight lanes, 4 for the others.
template <int Shift>
[[gnu::always_inline]] inline void add_int4_steps(const QuantizedSteps& steps, const float* factors, const float* start,
                                             float* sums) noexcept {
  const float* a = steps.a;
  const void* b = steps.b;
  std::int32_t w, x, y;
  std::uint32_t rounds = port::unrolled == 1 || steps.a_step != 1 ? 0 : steps.count / 8;
  const std::uint32_t done = rounds * 8;
  if (rounds != 0) {
    asm volatile(
        HEED_ROUNDS(INT4, "8")
        : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&r"(rounds), [w] "=&r"(w), [x] "=&r"(x), [y] "=&r"(y)
        : [start] "r"(start), [sums] "r"(sums), [factors] "r"(factors), [shift] "i"(Shift)
        : HEED_CLOBBERED);
    start = sums;
  }
  rounds = steps.count - done;
  if (rounds == 0) return;
  asm volatile(
      HEED_SINGLE_STEPS(INT4, "8")
      : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&r"(rounds), [w] "=&r"(w), [x] "=&r"(x), [y] "=&r"(y)
      : [start] "r"(start), [sums] "r"(sums), [factors] "r"(factors), [a_step] "r"(steps.a_step * std::ptrdiff_t{sizeof(float)}),
        [shift] "i"(Shift)
      : HEED_CLOBBERED);
}

/// Signed bytes in panels of sixteen, from the first of eight lanes on, with factors [8], become to [count, 16].
[[gnu::noinline]] inline void decode_int8_steps(const void* b, const float* factors, std::uint32_t count,
                                                float* to) noexcept {
  std::int32_t w, x, y, z;
  asm volatile(
      "vldmia %[factors], {s8-s15}\n"
      "sub %[b], #16\n"
      "1:\n"
      HEED_MOVE_INT8("16")
      "vstmia %[to], {s20-s27}\n"
      "add %[to], #64\n"
      "subs %[count], #1\n"
      "bne 1b\n"
      : [b] "+&r"(b), [to] "+&r"(to), [count] "+&r"(count), [w] "=&r"(w), [x] "=&r"(x), [y] "=&r"(y), [z] "=&r"(z)
      : [factors] "r"(factors)
      : HEED_CLOBBERED);
}

// clang-format on
#undef HEED_LOAD_SUMS
#undef HEED_STORE_SUMS
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
#undef HEED_ROUNDS
#undef HEED_SINGLE_STEPS
#undef HEED_CLOBBERED

}  // namespace heed::detail
