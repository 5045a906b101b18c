// SPDX-License-Identifier: MIT
//
// Sums of products of rows and weights of 8 bits, of 64 inputs or eight and all outputs in one loop: what a loop costs
// to begin is as much as it adds up for few inputs.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heed/arena.hpp"
#include "integer_tiles.hpp"

namespace heed::detail {

/// What loops over all outputs take at once, and its bytes of weights.
inline constexpr std::uint32_t inputs_at_once = 64;
inline constexpr std::uint32_t weight_bytes_at_once = inputs_at_once * panel_width;

// clang-format off
// The words of 64 inputs lie from -384 to +384 bytes about `at`, and those of the outputs of a round beside them.
#define HEED_ONE_OUTPUT(kind, sum, output)                                                                           \
  "vldrw.u32 q6, [%q[at], #-384 + " output "]\n"  \
  "vldrw.u32 q7, [%q[at], #-128 + " output "]\n"  \
  "veor q6, q6, %q[mask]\n"                       \
  "veor q7, q7, %q[mask]\n"                       \
  kind " " sum ", q6, q0\n"                       \
  "vmladava.s8 " sum ", q7, q1\n"                 \
  "vldrw.u32 q6, [%q[at], #128 + " output "]\n"   \
  "vldrw.u32 q7, [%q[at], #384 + " output "]\n"   \
  "veor q6, q6, %q[mask]\n"                       \
  "veor q7, q7, %q[mask]\n"                       \
  "vmladava.s8 " sum ", q6, q2\n"                 \
  "vmladava.s8 " sum ", q7, q3\n"
#define HEED_ROW_OF_64(begin, kind)                \
  "vldrb.u8 q0, [%[x]]\n"                         \
  "vldrb.u8 q1, [%[x], #16]\n"                    \
  "vldrb.u8 q2, [%[x], #32]\n"                    \
  "vldrb.u8 q3, [%[x], #48]\n"                    \
  "dls lr, %[rounds]\n"                           \
  "1:\n" begin                                    \
  HEED_ONE_OUTPUT(kind, "%[a]", "0")               \
  HEED_ONE_OUTPUT(kind, "%[b]", "4")               \
  HEED_ONE_OUTPUT(kind, "%[c]", "8")               \
  HEED_ONE_OUTPUT(kind, "%[d]", "12")              \
  "vadd.i32 %q[at], %q[at], %[step]\n"            \
  "strd %[a], %[b], [%[sums]], #8\n"              \
  "strd %[c], %[d], [%[sums]], #8\n"              \
  "le lr, 1b\n"
#define HEED_ADD(...)                                                                                             \
  asm volatile(__VA_ARGS__                                                                                        \
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [at] "+w"(at), [sums] "+r"(sums)              \
      : [x] "r"(x), [rounds] "r"(4), [step] "r"(16), [mask] "w"(mask)                                             \
      : "memory", "lr", "q0", "q1", "q2", "q3", "q6", "q7")

/// Where the words of the first output's 64 inputs lie about; loops move it on by 64 bytes, the next inputs are 960
/// further.
[[gnu::always_inline]] inline uint32x4_t words_of_64(const std::byte* weights) noexcept {
  return WeightWords(weights + 640).at;
}
[[gnu::always_inline]] inline void to_next_64(uint32x4_t& at) noexcept {
  at = vaddq_n_u32(at, weight_bytes_at_once - 64);
}

/// Sums [16] of one row and 64 inputs; added to what is there, or what there is.
template <bool Adds>
[[gnu::always_inline]] inline void one_row_of_64(uint32x4_t& at, const std::byte* x, std::int32_t* sums) noexcept {
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  std::int32_t a, b, c, d;
  if constexpr (Adds) {
    HEED_ADD(HEED_ROW_OF_64("ldrd %[a], %[b], [%[sums]]\n" "ldrd %[c], %[d], [%[sums], #8]\n", "vmladava.s8"));
  } else {
    HEED_ADD(HEED_ROW_OF_64("", "vmladav.s8"));
  }
}
#undef HEED_ADD

// The first sixteen inputs of the rows stay in q5 to q7.
#define HEED_TWO_WORDS(offset)                      \
  "vldrw.u32 q0, [%q[at], #" offset "]\n"          \
  "vldrw.u32 q1, [%q[at], #" offset " + 4]\n"      \
  "veor q0, q0, %q[mask]\n"                        \
  "veor q1, q1, %q[mask]\n"
#define HEED_TWO_SUMS(kind, x, first, second)       \
  kind " " first ", q0, " x "\n"                   \
  kind " " second ", q1, " x "\n"
#define HEED_TWO_OF_ROW(x, offset, first, second)   \
  "vldrb.u8 q2, [" x ", #" offset "]\n"            \
  HEED_TWO_SUMS("vmladava.s8", "q2", first, second)
#define HEED_TWO_OF_ROWS(words, offset)             \
  HEED_TWO_WORDS(words)                             \
  HEED_TWO_OF_ROW("%[x0]", offset, "%[a]", "%[d]")  \
  HEED_TWO_OF_ROW("%[x1]", offset, "%[b]", "%[e]")  \
  HEED_TWO_OF_ROW("%[x2]", offset, "%[c]", "%[f]")
#define HEED_ROWS_OF_64(begin, kind)                \
  "vldrb.u8 q5, [%[x0]]\n"                         \
  "vldrb.u8 q6, [%[x1]]\n"                         \
  "vldrb.u8 q7, [%[x2]]\n"                         \
  "dls lr, %[step]\n"                              \
  "1:\n" begin                                     \
  HEED_TWO_WORDS("-384")                            \
  HEED_TWO_SUMS(kind, "q5", "%[a]", "%[d]")         \
  HEED_TWO_SUMS(kind, "q6", "%[b]", "%[e]")         \
  HEED_TWO_SUMS(kind, "q7", "%[c]", "%[f]")         \
  HEED_TWO_OF_ROWS("-128", "16")                    \
  HEED_TWO_OF_ROWS("128", "32")                     \
  HEED_TWO_OF_ROWS("384", "48")                     \
  "vadd.i32 %q[at], %q[at], %[step]\n"             \
  "strd %[b], %[e], [%[sums], #64]\n"              \
  "strd %[c], %[f], [%[sums], #128]\n"             \
  "strd %[a], %[d], [%[sums]], #8\n"               \
  "le lr, 1b\n"
#define HEED_ADD(...)                                                                                             \
  asm volatile(__VA_ARGS__                                                                                        \
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [e] "=&Te"(e), [f] "=&Te"(f), [at] "+w"(at),  \
        [sums] "+r"(sums)                                                                                         \
      : [x0] "r"(x0), [x1] "r"(x1), [x2] "r"(x2), [step] "r"(8), [mask] "w"(mask)                                 \
      : "memory", "lr", "q0", "q1", "q2", "q5", "q6", "q7")

/// The same of three rows, sums [3, 16].
template <bool Adds>
[[gnu::always_inline]] inline void three_rows_of_64(uint32x4_t& at, const std::byte* x0, std::size_t row_bytes,
                                                    std::int32_t* sums) noexcept {
  const std::byte* const x1 = x0 + row_bytes;
  const std::byte* const x2 = x1 + row_bytes;
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  std::int32_t a, b, c, d, e, f;
  if constexpr (Adds) {
    HEED_ADD(HEED_ROWS_OF_64("ldrd %[a], %[d], [%[sums]]\n" "ldrd %[b], %[e], [%[sums], #64]\n"
                             "ldrd %[c], %[f], [%[sums], #128]\n", "vmladava.s8"));
  } else {
    HEED_ADD(HEED_ROWS_OF_64("", "vmladav.s8"));
  }
}
#undef HEED_ADD

/// Sums [16] of one row, or [3, 16] of three, and 64 `times` inputs, at least once.
template <bool three>
[[gnu::always_inline]] inline void sums_of_64s(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                               std::uint32_t times, std::int32_t* sums) noexcept {
  uint32x4_t at = words_of_64(weights);
  const auto add = [&](auto adds) noexcept {
    if constexpr (three) {
      three_rows_of_64<adds.value>(at, x, row_bytes, sums);
    } else {
      one_row_of_64<adds.value>(at, x, sums);
    }
  };
  add(std::false_type{});
  for (; times > 1; --times) {
    to_next_64(at);
    x += inputs_at_once;
    add(std::true_type{});
  }
}

// Eight inputs: a vector has the words of two outputs, and meets a row in its first half and in its second.
#define HEED_WORDS_OF_8(words, offset)            \
  "vldrw.u32 " words ", [%q[at], #" offset "]\n" \
  "veor " words ", " words ", %q[mask]\n"
#define HEED_SUMS_OF_8(words, low, high, to)      \
  "vmladav.s8 %[a], " words ", " low "\n"        \
  "vmladav.s8 %[b], " words ", " high "\n"       \
  "strd %[a], %[b], " to "\n"

/// Sums [2, 16] of two rows and eight inputs.
[[gnu::always_inline]] inline void two_rows_of_8(const std::byte* weights, const std::byte* x0, const std::byte* x1,
                                                 std::int32_t* sums) noexcept {
  constexpr std::uint32_t places[4] = {0, 64, 4, 68};
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  uint32x4_t at = vaddq_n_u32(vldrwq_u32(places), reinterpret_cast<std::uintptr_t>(weights));
  std::int32_t a, b;
  asm volatile(
      "vmov.i32 q0, #0\n"
      "vmov.i32 q1, #0\n"
      "vmov.i32 q2, #0\n"
      "vmov.i32 q3, #0\n"
      "vldr d0, [%[x0]]\n"
      "vldr d3, [%[x0]]\n"
      "vldr d4, [%[x1]]\n"
      "vldr d7, [%[x1]]\n"
      "dls lr, %[rounds]\n"
      "1:\n"
      HEED_WORDS_OF_8("q6", "0")
      HEED_WORDS_OF_8("q7", "8")
      "vadd.i32 %q[at], %q[at], %[step]\n"
      HEED_SUMS_OF_8("q6", "q2", "q3", "[%[sums], #64]")
      HEED_SUMS_OF_8("q6", "q0", "q1", "[%[sums]], #8")
      HEED_SUMS_OF_8("q7", "q2", "q3", "[%[sums], #64]")
      HEED_SUMS_OF_8("q7", "q0", "q1", "[%[sums]], #8")
      "le lr, 1b\n"
      : [a] "=&Te"(a), [b] "=&Te"(b), [at] "+w"(at), [sums] "+r"(sums)
      : [x0] "r"(x0), [x1] "r"(x1), [rounds] "r"(4), [step] "r"(16), [mask] "w"(mask)
      : "memory", "lr", "q0", "q1", "q2", "q3", "q6", "q7");
}

// clang-format on
#undef HEED_ONE_OUTPUT
#undef HEED_ROW_OF_64
#undef HEED_TWO_WORDS
#undef HEED_TWO_SUMS
#undef HEED_TWO_OF_ROW
#undef HEED_TWO_OF_ROWS
#undef HEED_ROWS_OF_64
#undef HEED_WORDS_OF_8
#undef HEED_SUMS_OF_8

}  // namespace heed::detail
