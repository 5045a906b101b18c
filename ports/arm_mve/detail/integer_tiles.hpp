// SPDX-License-Identifier: MIT
//
// Sums of products of integers in core registers. A gather of four words brings sixteen inputs of an output (32 where
// they are nibbles); the loops predicate their last round, so that nothing beyond the weights is read. Compilers make
// no such loops.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// Four words of an output are 64 bytes apart; loops move on before they load.
struct WeightWords {
  uint32x4_t at;

  explicit WeightWords(const std::byte* from) noexcept
      : at(vaddq_n_u32(vmulq_n_u32(vidupq_n_u32(0, 1), 64), reinterpret_cast<std::uintptr_t>(from) - 256)) {}
};

// clang-format off
#define HEED_LOOP(...)               \
  "dlstp.32 lr, %[words]\n"          \
  "1:\n" __VA_ARGS__                 \
  "letp lr, 1b\n"
#define HEED_FIRST_WORDS "vldrw.u32 q2, [%q[at], #256]!\n"
#define HEED_WORDS(offset) "vldrw.u32 q2, [%q[at], #" offset "]\n"
#define HEED_BYTES_1(sum)            \
  "veor q2, q2, %q[mask]\n"          \
  "vmladava.s8 " sum ", q2, q0\n"
#define HEED_BYTES_2(sum)            \
  "vmovlb.u8 q3, q2\n"               \
  "vmovlt.s8 q2, q2\n"               \
  "vmladava.s16 " sum ", q3, q0\n"   \
  "vmladava.s16 " sum ", q2, q1\n"
#define HEED_NIBBLES_1(sum)          \
  "vand q3, q2, %q[mask]\n"          \
  "vshr.u8 q2, q2, #4\n"             \
  "vmladava.s8 " sum ", q3, q0\n"    \
  "vmladava.s8 " sum ", q2, q1\n"
// The last eight numbers of the row have no register to stay in.
#define HEED_NIBBLES_2(sum)          \
  "vand q3, q2, %q[mask]\n"          \
  "vshr.u8 q2, q2, #4\n"             \
  "vmovlb.u8 q5, q3\n"               \
  "vmovlt.u8 q3, q3\n"               \
  "vmladava.s16 " sum ", q5, q0\n"   \
  "vmladava.s16 " sum ", q3, q1\n"   \
  "vmovlb.u8 q5, q2\n"               \
  "vmovlt.u8 q2, q2\n"               \
  "vmladava.s16 " sum ", q5, q4\n"   \
  "vldrh.u16 q5, [%[x], #-16]\n"     \
  "vmladava.s16 " sum ", q2, q5\n"
#define HEED_FOUR(TIMES)                          \
  HEED_FIRST_WORDS TIMES("%[a]")                  \
  HEED_WORDS("4") TIMES("%[b]")                   \
  HEED_WORDS("8") TIMES("%[c]")                   \
  HEED_WORDS("12") TIMES("%[d]")
#define HEED_ADD_FOUR(...)                                                                                        \
  asm volatile(HEED_LOOP(__VA_ARGS__)                                                                             \
      : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [x] "+r"(x), [at] "+w"(weights.at)                \
      : [words] "r"(words), [mask] "w"(mask)                                                                      \
      : "memory", "lr", "q0", "q1", "q2", "q3", "q4", "q5")

/// The sums of four outputs of one row, over `words` words of each; weights move on.
template <DataType types, DataType rows>
[[gnu::always_inline]] inline int32x4_t four_integer_sums(WeightWords& weights, const std::byte* x,
                                                          std::uint32_t words) noexcept {
  std::int32_t a = 0, b = 0, c = 0, d = 0;
  if constexpr (types == DataType::int4_multipliers) {
    const uint8x16_t mask = vdupq_n_u8(0x0F);
    if constexpr (rows == DataType::int8) {
      HEED_ADD_FOUR("vldrb.u8 q0, [%[x]], #16\n" "vldrb.u8 q1, [%[x]], #16\n" HEED_FOUR(HEED_NIBBLES_1));
    } else {
      HEED_ADD_FOUR("vldrh.u16 q0, [%[x]], #16\n" "vldrh.u16 q1, [%[x]], #16\n" "vldrh.u16 q4, [%[x]], #32\n"
                    HEED_FOUR(HEED_NIBBLES_2));
    }
  } else {
    const uint16x8_t mask = vdupq_n_u16(0x0080);
    if constexpr (rows == DataType::int8) {
      HEED_ADD_FOUR("vldrb.u8 q0, [%[x]], #16\n" HEED_FOUR(HEED_BYTES_1));
    } else {
      HEED_ADD_FOUR("vldrh.u16 q0, [%[x]], #16\n" "vldrh.u16 q1, [%[x]], #16\n" HEED_FOUR(HEED_BYTES_2));
    }
  }
  int32x4_t sums = vdupq_n_s32(a);
  sums = vsetq_lane_s32(b, sums, 1);
  sums = vsetq_lane_s32(c, sums, 2);
  return vsetq_lane_s32(d, sums, 3);
}

// Sums begin as what is there. A loop has moved rows on by the bytes of four words a round, 2^`log2_bytes` for a word.
#define HEED_SPAN "add lr, %[words], #3\n" "bic lr, #3\n"
#define HEED_FOUR_OUTPUTS(log2_bytes, ...)                                       \
  "ldrd %[a], %[b], [%[sums]]\n"                   \
  "ldrd %[c], %[d], [%[sums], #8]\n"               \
  HEED_LOOP(__VA_ARGS__)                           \
  "strd %[a], %[b], [%[sums]], #8\n"               \
  "strd %[c], %[d], [%[sums]], #8\n"               \
  HEED_SPAN                                        \
  "sub %[x], %[x], lr, lsl " log2_bytes "\n"

/// Adds to sums [16] those of one row and weights of 8 bits, `outputs` at least.
template <DataType rows>
[[gnu::always_inline]] inline void add_one_row(WeightWords weights, const std::byte* x, std::uint32_t words,
                                               std::int32_t* sums, std::uint32_t outputs = 16) noexcept {
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  std::int32_t a, b, c, d;
#define HEED_ADD(...)                                                                                             \
  asm volatile(HEED_FOUR_OUTPUTS(__VA_ARGS__)                                                                     \
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [x] "+r"(x), [at] "+w"(at), [sums] "+r"(sums) \
      : [words] "r"(words), [mask] "w"(mask)                                                                      \
      : "memory", "cc", "lr", "q0", "q1", "q2", "q3")
#pragma GCC unroll 1
  for (std::uint32_t first = 0; first < outputs * 4; first += 16) {
    uint32x4_t at = vaddq_n_u32(weights.at, first);
    if constexpr (rows == DataType::int8) {
      HEED_ADD("#2", "vldrb.u8 q0, [%[x]], #16\n" HEED_FOUR(HEED_BYTES_1));
    } else {
      HEED_ADD("#3", "vldrh.u16 q0, [%[x]], #16\n" "vldrh.u16 q1, [%[x]], #16\n" HEED_FOUR(HEED_BYTES_2));
    }
  }
#undef HEED_ADD
}

// Two outputs in q2 and q4, or in q2 to q5, and then row after row.
#define HEED_ROW_1(x, first, second)      \
  "vldrb.u8 q0, [" x "], #16\n"           \
  "vmladava.s8 " first ", q2, q0\n"       \
  "vmladava.s8 " second ", q4, q0\n"
#define HEED_ROW_2(x, first, second)      \
  "vldrh.u16 q0, [" x "], #16\n"          \
  "vldrh.u16 q1, [" x "], #16\n"          \
  "vmladava.s16 " first ", q3, q0\n"      \
  "vmladava.s16 " second ", q5, q0\n"     \
  "vmladava.s16 " first ", q2, q1\n"      \
  "vmladava.s16 " second ", q4, q1\n"
#define HEED_ROWS(ROW)                    \
  ROW("%[x0]", "%[a]", "%[d]")            \
  ROW("%[x1]", "%[b]", "%[e]")            \
  ROW("%[x2]", "%[c]", "%[f]")
#define HEED_TWO_OUTPUTS(...)                      \
  "ldrd %[a], %[d], [%[sums]]\n"                   \
  "ldrd %[b], %[e], [%[sums], #64]\n"              \
  "ldrd %[c], %[f], [%[sums], #128]\n"             \
  HEED_LOOP("vldrw.u32 q2, [%q[at], #256]!\n"      \
            "vldrw.u32 q4, [%q[at], #4]\n"         \
            __VA_ARGS__)                           \
  "strd %[b], %[e], [%[sums], #64]\n"              \
  "strd %[c], %[f], [%[sums], #128]\n"             \
  "strd %[a], %[d], [%[sums]]\n"

/// Adds to sums [3, 16] those of three rows and weights of 8 bits, `outputs` at least.
template <DataType rows>
[[gnu::always_inline]] inline void add_three_rows(WeightWords weights, const std::byte* x0, std::size_t row_bytes,
                                                  std::uint32_t words, std::int32_t* sums,
                                                  std::uint32_t outputs = 16) noexcept {
  const std::byte* x1 = x0 + row_bytes;
  const std::byte* x2 = x1 + row_bytes;
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  std::int32_t a, b, c, d, e, f;
// Odd registers, because the sums are in even ones: there is none beside where a frame has one.
#define HEED_ADD(...)                                                                                             \
  register const std::byte* first asm("r1") = x0;                                                                 \
  register const std::byte* second asm("r3") = x1;                                                                \
  register const std::byte* third asm("r5") = x2;                                                                 \
  register std::int32_t* const to asm("r9") = sums + output;                                                      \
  register const std::uint32_t count asm("r11") = words;                                                          \
  asm volatile(HEED_TWO_OUTPUTS(__VA_ARGS__)                                                                      \
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [e] "=&Te"(e), [f] "=&Te"(f),                 \
        [x0] "+r"(first), [x1] "+r"(second), [x2] "+r"(third), [at] "+w"(at)                                      \
      : [sums] "r"(to), [words] "r"(count), [mask] "w"(mask)                                                      \
      : "memory", "cc", "lr", "q0", "q1", "q2", "q3", "q4", "q5")
#pragma GCC unroll 1
  for (std::uint32_t output = 0; output < outputs; output += 2) {
    uint32x4_t at = vaddq_n_u32(weights.at, output * 4);
    if constexpr (rows == DataType::int8) {
      HEED_ADD("veor q2, q2, %q[mask]\n" "veor q4, q4, %q[mask]\n" HEED_ROWS(HEED_ROW_1));
    } else {
      HEED_ADD("vmovlb.u8 q3, q2\n" "vmovlt.s8 q2, q2\n" "vmovlb.u8 q5, q4\n" "vmovlt.s8 q4, q4\n"
               HEED_ROWS(HEED_ROW_2));
    }
  }
#undef HEED_ADD
}

// clang-format on
#undef HEED_LOOP
#undef HEED_FIRST_WORDS
#undef HEED_WORDS
#undef HEED_BYTES_1
#undef HEED_BYTES_2
#undef HEED_NIBBLES_1
#undef HEED_NIBBLES_2
#undef HEED_FOUR
#undef HEED_ADD_FOUR
#undef HEED_ROW_1
#undef HEED_ROW_2
#undef HEED_ROWS
#undef HEED_SPAN
#undef HEED_FOUR_OUTPUTS
#undef HEED_TWO_OUTPUTS

}  // namespace heed::detail
