// SPDX-License-Identifier: MIT
//
// Sixteen sums in s0-s15, as two rows of eight columns or one row of sixteen. Compilers load a row of B float by float;
// here one load-multiple brings eight. All of them take steps of the product one by one; code for speed takes several
// steps a round where it can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <single_floats/detail/steps.hpp>

namespace heed::detail {

constexpr std::ptrdiff_t bytes_of(std::ptrdiff_t floats) noexcept {
  return floats * std::ptrdiff_t{sizeof(float)};
}

// clang-format off
/// Without it, compilers repeat the whole of a loop of two rounds, for size as well.
#define HEED_KEEP_LOOP(counter) asm("" : "+r"(counter))

// The sums are s0-s15, half a row of B is s16-s23, factors are s24-s31.
#define HEED_LOAD_TWO           \
  "vldmia %[start0], {s0-s7}\n" \
  "vldmia %[start1], {s8-s15}\n"
#define HEED_STORE_TWO        \
  "vstmia %[end0], {s0-s7}\n" \
  "vstmia %[end1], {s8-s15}\n"
#define HEED_ROWS_OF_TWO(half)                           \
  [start0] "r"(sums.start + (half)),                     \
  [start1] "r"(sums.start + sums.start_row + (half)),    \
  [end0] "r"(sums.end + (half)),                         \
  [end1] "r"(sums.end + sums.end_row + (half))
#define HEED_LOAD_ONE "vldmia %[start], {s0-s15}\n"
#define HEED_STORE_ONE "vstmia %[end], {s0-s15}\n"
#define HEED_LOAD_B "vldmia %[b], {s16-s23}\n"
#define HEED_LOAD_B_ON "vldmia %[b]!, {s16-s23}\n"
#define HEED_NEXT_B "add %[b], %[b_step]\n"

// Eight sums += half a row of B * factor.
#define HEED_FMA_LOW(factor)           \
  "vfma.f32 s0, " factor ", s16\n"     \
  "vfma.f32 s1, " factor ", s17\n"     \
  "vfma.f32 s2, " factor ", s18\n"     \
  "vfma.f32 s3, " factor ", s19\n"     \
  "vfma.f32 s4, " factor ", s20\n"     \
  "vfma.f32 s5, " factor ", s21\n"     \
  "vfma.f32 s6, " factor ", s22\n"     \
  "vfma.f32 s7, " factor ", s23\n"
#define HEED_FMA_HIGH(factor)          \
  "vfma.f32 s8, " factor ", s16\n"     \
  "vfma.f32 s9, " factor ", s17\n"     \
  "vfma.f32 s10, " factor ", s18\n"    \
  "vfma.f32 s11, " factor ", s19\n"    \
  "vfma.f32 s12, " factor ", s20\n"    \
  "vfma.f32 s13, " factor ", s21\n"    \
  "vfma.f32 s14, " factor ", s22\n"    \
  "vfma.f32 s15, " factor ", s23\n"

// One step of two rows of A, and of one row with both halves of a row of B.
#define HEED_STEP_TWO(factor0, factor1) \
  HEED_LOAD_B                           \
  HEED_NEXT_B                           \
  HEED_FMA_LOW(factor0)                 \
  HEED_FMA_HIGH(factor1)
#define HEED_STEP_ONE(factor) \
  HEED_LOAD_B_ON              \
  HEED_FMA_LOW(factor)        \
  HEED_LOAD_B                 \
  HEED_NEXT_B                 \
  HEED_FMA_HIGH(factor)
#define HEED_STEP_PACKED(factor) \
  HEED_LOAD_B_ON                 \
  HEED_FMA_LOW(factor)           \
  HEED_LOAD_B_ON                 \
  HEED_FMA_HIGH(factor)

#define HEED_REPEAT       \
  "subs %[rounds], #1\n"  \
  "bne 1b\n"
#define HEED_CLOBBERED                                                                                         \
  "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",      \
  "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25"

/// Two rows of A, with eight columns of B and then the other eight.
[[gnu::noinline]] inline void add_two_rows(const Steps& steps, const SumRows& sums) noexcept {
  for (std::ptrdiff_t half = 0; half < 16; half += 8) {
    HEED_KEEP_LOOP(half);
    const float* a0 = steps.a;
    const float* a1 = steps.a + steps.a_row;
    const float* b = steps.b + half;
    std::uint32_t rounds = steps.count;
    asm volatile(
        HEED_LOAD_TWO
        "cbz %[rounds], 2f\n"
        "1:\n"
        "vldr s24, [%[a0]]\n"
        "add %[a0], %[a_step]\n"
        "vldr s25, [%[a1]]\n"
        "add %[a1], %[a_step]\n"
        HEED_STEP_TWO("s24", "s25")
        HEED_REPEAT
        "2:\n"
        HEED_STORE_TWO
        : [a0] "+&r"(a0), [a1] "+&r"(a1), [b] "+&r"(b), [rounds] "+&l"(rounds)
        : [a_step] "r"(bytes_of(steps.a_step)), [b_step] "r"(bytes_of(steps.b_step)), HEED_ROWS_OF_TWO(half)
        : HEED_CLOBBERED);
  }
}

/// One row of A with sixteen columns of B.
[[gnu::noinline]] inline void add_one_row(const Steps& steps, const SumRows& sums) noexcept {
  const float* a = steps.a;
  const float* b = steps.b;
  std::uint32_t rounds = steps.count;
  // A load-multiple with write-back has moved B by half a row already.
  asm volatile(
      HEED_LOAD_ONE
      "cbz %[rounds], 2f\n"
      "1:\n"
      "vldr s24, [%[a]]\n"
      "add %[a], %[a_step]\n"
      HEED_STEP_ONE("s24")
      HEED_REPEAT
      "2:\n"
      HEED_STORE_ONE
      : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&l"(rounds)
      : [a_step] "r"(bytes_of(steps.a_step)), [b_step] "r"(bytes_of(steps.b_step - 8)), [start] "r"(sums.start),
        [end] "r"(sums.end)
      : HEED_CLOBBERED);
}

/// Two rows of A whose steps lie side by side: four steps a round, at least one round.
[[gnu::noinline]] inline void add_two_rows_by_four(const Steps& steps, const SumRows& sums) noexcept {
  for (std::ptrdiff_t half = 0; half < 16; half += 8) {
    HEED_KEEP_LOOP(half);
    const float* a0 = steps.a;
    const float* a1 = steps.a + steps.a_row;
    const float* b = steps.b + half;
    std::uint32_t rounds = steps.count / 4;
    asm volatile(
        HEED_LOAD_TWO
        "1:\n"
        "vldmia %[a0]!, {s24-s27}\n"
        "vldmia %[a1]!, {s28-s31}\n"
        HEED_STEP_TWO("s24", "s28")
        HEED_STEP_TWO("s25", "s29")
        HEED_STEP_TWO("s26", "s30")
        HEED_STEP_TWO("s27", "s31")
        HEED_REPEAT
        HEED_STORE_TWO
        : [a0] "+&r"(a0), [a1] "+&r"(a1), [b] "+&r"(b), [rounds] "+&r"(rounds)
        : [b_step] "r"(bytes_of(steps.b_step)), HEED_ROWS_OF_TWO(half)
        : HEED_CLOBBERED, "s26", "s27", "s28", "s29", "s30", "s31");
  }
}

/// Two rows of A that lie side by side: two steps a round, at least one round.
[[gnu::noinline]] inline void add_two_lanes_by_two(const Steps& steps, const SumRows& sums) noexcept {
  for (std::ptrdiff_t half = 0; half < 16; half += 8) {
    HEED_KEEP_LOOP(half);
    const float* a = steps.a;
    const float* b = steps.b + half;
    std::uint32_t rounds = steps.count / 2;
    asm volatile(
        HEED_LOAD_TWO
        "1:\n"
        "vldmia %[a], {s24-s25}\n"
        "add %[a], %[a_step]\n"
        HEED_STEP_TWO("s24", "s25")
        "vldmia %[a], {s24-s25}\n"
        "add %[a], %[a_step]\n"
        HEED_STEP_TWO("s24", "s25")
        HEED_REPEAT
        HEED_STORE_TWO
        : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&r"(rounds)
        : [a_step] "r"(bytes_of(steps.a_step)), [b_step] "r"(bytes_of(steps.b_step)), HEED_ROWS_OF_TWO(half)
        : HEED_CLOBBERED);
  }
}

/// One row of A whose steps lie side by side: four steps a round, at least one round. PackedB: so do the rows of B.
template <bool PackedB>
[[gnu::noinline]] inline void add_one_row_by_four(const Steps& steps, const SumRows& sums) noexcept {
  const float* a = steps.a;
  const float* b = steps.b;
  std::uint32_t rounds = steps.count / 4;
  if constexpr (PackedB) {
    asm volatile(
        HEED_LOAD_ONE
        "1:\n"
        "vldmia %[a]!, {s24-s27}\n"
        HEED_STEP_PACKED("s24")
        HEED_STEP_PACKED("s25")
        HEED_STEP_PACKED("s26")
        HEED_STEP_PACKED("s27")
        HEED_REPEAT
        HEED_STORE_ONE
        : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&r"(rounds)
        : [start] "r"(sums.start), [end] "r"(sums.end)
        : HEED_CLOBBERED, "s26", "s27");
  } else {
    asm volatile(
        HEED_LOAD_ONE
        "1:\n"
        "vldmia %[a]!, {s24-s27}\n"
        HEED_STEP_ONE("s24")
        HEED_STEP_ONE("s25")
        HEED_STEP_ONE("s26")
        HEED_STEP_ONE("s27")
        HEED_REPEAT
        HEED_STORE_ONE
        : [a] "+&r"(a), [b] "+&r"(b), [rounds] "+&r"(rounds)
        : [b_step] "r"(bytes_of(steps.b_step - 8)), [start] "r"(sums.start), [end] "r"(sums.end)
        : HEED_CLOBBERED, "s26", "s27");
  }
}

// clang-format on
#undef HEED_KEEP_LOOP
#undef HEED_LOAD_TWO
#undef HEED_STORE_TWO
#undef HEED_ROWS_OF_TWO
#undef HEED_LOAD_ONE
#undef HEED_STORE_ONE
#undef HEED_LOAD_B
#undef HEED_LOAD_B_ON
#undef HEED_NEXT_B
#undef HEED_FMA_LOW
#undef HEED_FMA_HIGH
#undef HEED_STEP_TWO
#undef HEED_STEP_ONE
#undef HEED_STEP_PACKED
#undef HEED_REPEAT
#undef HEED_CLOBBERED

/// One or two rows of sixteen sums, over all steps, one by one.
inline void add_each_step(const Steps& steps, const SumRows& sums, int rows) noexcept {
  if (rows == 2) {
    add_two_rows(steps, sums);
  } else {
    add_one_row(steps, sums);
  }
}

/// The same, with several steps a round where A allows it. Uses up what it is given.
inline void add_steps(Steps& steps, SumRows& sums, int rows) noexcept {
  const bool contiguous = steps.a_step == 1;
  const std::uint32_t at_once = contiguous ? 4 : 2;  // powers of 2
  if (port::unrolled == 1 || steps.count < at_once || !(contiguous || (rows == 2 && steps.a_row == 1))) {
    add_each_step(steps, sums, rows);
    return;
  }
  if (!contiguous) {
    add_two_lanes_by_two(steps, sums);
  } else if (rows == 2) {
    add_two_rows_by_four(steps, sums);
  } else if (steps.b_step == port::lanes) {
    add_one_row_by_four<true>(steps, sums);
  } else {
    add_one_row_by_four<false>(steps, sums);
  }
  const std::uint32_t left = steps.count & (at_once - 1);
  if (left == 0) return;
  steps.skip(steps.count - left);
  sums.start = sums.end;
  sums.start_row = sums.end_row;
  add_each_step(steps, sums, rows);
}

}  // namespace heed::detail
