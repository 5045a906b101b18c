// SPDX-License-Identifier: MIT
//
// Sums of products of three rows and weights of 8 bits, of 64 inputs and all outputs in one loop: what a loop costs to
// begin is as much as it adds up for few inputs.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "heed/arena.hpp"
#include "integer_tiles.hpp"

namespace heed::detail {

/// What loops over all outputs take at once, and its bytes of weights.
inline constexpr std::uint32_t inputs_at_once = 64;
inline constexpr std::uint32_t weight_bytes_at_once = inputs_at_once * panel_width;

// clang-format off
// The words of 64 inputs lie from -384 to +384 bytes about `at`, and those of the outputs of a round beside them. The
// first sixteen inputs of the rows stay in q5 to q7.
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

/// Where the words of the first output's 64 inputs lie about; loops move it on by 64 bytes, the next inputs are 960
/// further.
[[gnu::always_inline]] inline uint32x4_t words_of_64(const std::byte* weights) noexcept {
  return WeightWords(weights + 640).at;
}
[[gnu::always_inline]] inline void to_next_64(uint32x4_t& at) noexcept {
  at = vaddq_n_u32(at, weight_bytes_at_once - 64);
}

/// Sums [3, 16] of three rows and 64 inputs; added to what is there, or what there is.
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

/// Sums [3, 16] of three rows and 64 `times` inputs, at least once.
[[gnu::always_inline]] inline void three_rows_of_64s(const std::byte* weights, const std::byte* x,
                                                     std::size_t row_bytes, std::uint32_t times,
                                                     std::int32_t* sums) noexcept {
  uint32x4_t at = words_of_64(weights);
  three_rows_of_64<false>(at, x, row_bytes, sums);
  for (; times > 1; --times) {
    to_next_64(at);
    x += inputs_at_once;
    three_rows_of_64<true>(at, x, row_bytes, sums);
  }
}

// clang-format on
#undef HEED_TWO_WORDS
#undef HEED_TWO_SUMS
#undef HEED_TWO_OF_ROW
#undef HEED_TWO_OF_ROWS
#undef HEED_ROWS_OF_64

}  // namespace heed::detail
