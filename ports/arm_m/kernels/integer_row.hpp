// SPDX-License-Identifier: MIT
//
// A row of integers as pairs of 16 bits for SMLAD, in runs whose sums stay within 32 bits: of each run, what its sums
// start with, and then for four inputs (x0, x2) and (x1, x3). Where rows and weights are bytes, a word of weights is
// one factor as it is: its halves are 256 q1 + u0 and 256 q3 + u2, u = q + 128, and the pairs are (x1, x3) and
// (256 x0 - x1, 256 x2 - x3), the factors of u0 and u2, so that the sum is 256 times what it stands for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// The greatest magnitude of a row's integers.
template <DataType rows>
inline constexpr float most_of_rows = rows == DataType::int8 ? 127.0F : 16383.0F;

/// The scale of a row, before its numbers.
inline constexpr std::size_t row_numbers_at = 16;

/// Words of weights are factors as they are; in code for size bytes are taken out of them for every row.
template <DataType weights, DataType rows>
inline constexpr bool raw_words = port::unrolled != 1 && weights != DataType::int4_multipliers&& rows == DataType::int8;

/// Inputs of a run: those of one multiplier, or as many as the sum has bits for.
template <DataType weights, DataType rows>
inline constexpr std::uint32_t run_inputs = weights != DataType::int8 ? scale_group_size
                                            : rows == DataType::int8  ? 512
                                                                      : 1024;

constexpr std::size_t run_bytes(std::uint32_t inputs) noexcept {
  return sizeof(std::int32_t) + inputs * sizeof(std::int16_t);
}

/// How a row's numbers lie, and what its sums start with: less by the sum of those whose weights have a bias, shifted.
struct RowLayout {
  std::uint32_t run;    ///< inputs of a run
  std::uint32_t shift;  ///< of what is taken off
  bool raw;             ///< pairs for words of weights as they are
  bool all;             ///< every weight has a bias, not only those of even inputs
};

template <DataType weights, DataType rows>
inline constexpr RowLayout row_layout = {.run = run_inputs<weights, rows>,
                                         .shift = weights == DataType::int4_multipliers ? 3
                                                  : raw_words<weights, rows>            ? 15
                                                                                        : 7,
                                         .raw = raw_words<weights, rows>,
                                         .all = weights == DataType::int4_multipliers};

#ifdef __OPTIMIZE_SIZE__
/// What 0 is rounded to, by an addition.
inline constexpr std::uint32_t rounded_zero = 0x4B400000U;

/// (low, high) of their low halves.
[[nodiscard]] inline std::uint32_t pair_of(std::uint32_t low, std::uint32_t high) noexcept {
  std::uint32_t pair;
  asm("pkhbt %0, %1, %2, lsl #16" : "=r"(pair) : "r"(low), "r"(high));
  return pair;
}
#endif

// clang-format off
// Four numbers, rounded to nearest even as the FPU does it, in r4-r6 and r8, from four of s0-s7.
#define HEED_NUMBERS(s0, s1, s2, s3)          \
  "vmul.f32 " s0 ", " s0 ", %[factor]\n"      \
  "vmul.f32 " s1 ", " s1 ", %[factor]\n"      \
  "vmul.f32 " s2 ", " s2 ", %[factor]\n"      \
  "vmul.f32 " s3 ", " s3 ", %[factor]\n"      \
  "vcvtr.s32.f32 " s0 ", " s0 "\n"            \
  "vcvtr.s32.f32 " s1 ", " s1 "\n"            \
  "vcvtr.s32.f32 " s2 ", " s2 "\n"            \
  "vcvtr.s32.f32 " s3 ", " s3 "\n"            \
  "vmov r4, r5, " s0 ", " s1 "\n"             \
  "vmov r6, r8, " s2 ", " s3 "\n"
#define HEED_STORE_RAW                        \
  "add %[sum], r4\n"                          \
  "add %[sum], r6\n"                          \
  "rsb r4, r5, r4, lsl #8\n"                  \
  "rsb r6, r8, r6, lsl #8\n"                  \
  "pkhbt r5, r5, r8, lsl #16\n"               \
  "pkhbt r4, r4, r6, lsl #16\n"               \
  "strd r5, r4, [%[to]], #8\n"
#define HEED_STORE_PAIRS(sum_of_odd)          \
  "pkhbt r4, r4, r6, lsl #16\n"               \
  "pkhbt r5, r5, r8, lsl #16\n"               \
  "smlad %[sum], r4, %[ones], %[sum]\n"       \
  sum_of_odd                                  \
  "strd r4, r5, [%[to]], #8\n"
#define HEED_STORE_EIGHTS(STORE)                                                                     \
  asm("1:\n"                                                                                         \
      "vldmia %[x]!, {s0-s7}\n"                                                                      \
      HEED_NUMBERS("s0", "s1", "s2", "s3") STORE HEED_NUMBERS("s4", "s5", "s6", "s7") STORE          \
      "subs %[eights], #1\n"                                                                         \
      "bne 1b\n"                                                                                     \
      : [x] "+&r"(x), [to] "+&r"(to), [sum] "+&r"(sum), [eights] "+&r"(eights)                       \
      : [factor] "t"(factor), [ones] "r"(0x00010001U)                                                \
      : "memory", "cc", "r4", "r5", "r6", "r8", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7")

#ifdef __OPTIMIZE_SIZE__
/// Stores `eights` times eight numbers of x, at least eight; both move on. The sum of those whose weights have a bias.
[[gnu::noinline, gnu::noclone]] inline std::uint32_t store_eights(const float*& x, float factor, std::uint32_t eights,
                                                                  std::uint32_t*& to,
                                                                  const RowLayout& layout) noexcept {
  const float* from = x;
  std::uint32_t* pair = to;
  std::uint32_t sum = 0;
  for (std::uint32_t fours = 2 * eights; fours != 0; --fours, pair += 2) {
    std::uint32_t n[4];
    for (std::uint32_t& number : n) number = std::bit_cast<std::uint32_t>(*from++ * factor + 12582912.0F) - rounded_zero;
    sum += n[0] + n[2];
    if (layout.all) sum += n[1] + n[3];
    pair[0] = pair_of(n[0], n[2]);
    pair[1] = pair_of(n[1], n[3]);
  }
  x = from;
  to = pair;
  return sum;
}
#else
/// Stores `eights` times eight numbers of x, at least eight; both move on. The sum of those whose weights have a bias.
[[gnu::always_inline]] inline std::uint32_t store_eights(const float*& x, float factor, std::uint32_t eights,
                                                         std::uint32_t*& to, const RowLayout& layout) noexcept {
  std::uint32_t sum = 0;
  if (layout.raw) {
    HEED_STORE_EIGHTS(HEED_STORE_RAW);
  } else if (layout.all) {
    HEED_STORE_EIGHTS(HEED_STORE_PAIRS("smlad %[sum], r5, %[ones], %[sum]\n"));
  } else {
    HEED_STORE_EIGHTS(HEED_STORE_PAIRS(""));
  }
  return sum;
}
#endif
// clang-format on
#undef HEED_NUMBERS
#undef HEED_STORE_RAW
#undef HEED_STORE_PAIRS
#undef HEED_STORE_EIGHTS

[[gnu::always_inline]] inline void store_runs(const float* x, float factor, std::uint32_t inputs, std::byte* row,
                                              const RowLayout& layout) noexcept {
  auto* to = reinterpret_cast<std::uint32_t*>(row + row_numbers_at);
  while (inputs != 0) {
    const std::uint32_t count = inputs < layout.run ? inputs : layout.run;
    std::uint32_t* const start = to++;
    std::uint32_t sum = 0;
    std::uint32_t rest = count % 8;
    float last[8];
    const float* from = x;
    x += count;
    // Whole eights, and then the rest in a room of its own: one piece of assembly serves both.
    for (std::uint32_t eights = count / 8;;) {
      if (eights != 0) sum += store_eights(from, factor, eights, to, layout);
      if (rest == 0) break;
      for (std::uint32_t i = 0; i < 8; ++i) last[i] = i < rest ? from[i] : 0.0F;
      from = last;
      eights = 1;
      rest = 0;
    }
    if (layout.run == scale_group_size) {
      const std::uint32_t* const end = start + 1 + scale_group_size / 2;
      while (to != end) *to++ = 0;
    }
    *start = 0U - (sum << layout.shift);
    inputs -= count;
  }
}

/// In code for size, one for all types.
[[gnu::noinline, gnu::noclone]] inline void store_any_runs(const float* x, float factor, std::uint32_t inputs,
                                                           std::byte* row, const RowLayout& layout) noexcept {
  store_runs(x, factor, inputs, row, layout);
}

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 8, or of 32 for weights in groups. A row of
/// zeros has no other bytes than 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  static constexpr RowLayout layout = row_layout<weights, rows>;
  if constexpr (port::unrolled == 1) {
    store_any_runs(x, factor, inputs, row, layout);
  } else {
    store_runs(x, factor, inputs, row, layout);
  }
}

}  // namespace heed::detail
