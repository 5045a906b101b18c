// SPDX-License-Identifier: MIT
//
// Sums of whole groups of 32 inputs, four outputs of one row, times their multipliers. The biases of rows and weights
// of 8 bits are 0.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// What a loop over groups moves on; `at` is where the words of the first of four outputs lie.
struct GroupsOfFour {
  uint32x4_t at;
  const std::byte* x;
  const std::int32_t* biases;
  const std::int8_t* multipliers;
};

// clang-format off
#define HEED_BYTES_1(sum, at)             \
  "vldrw.u32 q6, [%q[at], #" at "]\n"     \
  "vldrw.u32 q7, [%q[at], #256 + " at "]\n" \
  "veor q6, q6, %q[mask]\n"               \
  "veor q7, q7, %q[mask]\n"               \
  "vmladav.s8 " sum ", q6, q0\n"          \
  "vmladava.s8 " sum ", q7, q1\n"
#define HEED_BYTES_2(sum, at)             \
  "vldrw.u32 q6, [%q[at], #" at "]\n"     \
  "vmovlb.u8 q7, q6\n"                    \
  "vmovlt.s8 q6, q6\n"                    \
  "vmladav.s16 " sum ", q7, q0\n"         \
  "vmladava.s16 " sum ", q6, q1\n"        \
  "vldrw.u32 q6, [%q[at], #256 + " at "]\n" \
  "vmovlb.u8 q7, q6\n"                    \
  "vmovlt.s8 q6, q6\n"                    \
  "vmladava.s16 " sum ", q7, q2\n"        \
  "vmladava.s16 " sum ", q6, q3\n"
#define HEED_NIBBLES_1(sum, at)           \
  "vldrw.u32 q6, [%q[at], #" at "]\n"     \
  "vand q7, q6, %q[mask]\n"               \
  "vshr.u8 q6, q6, #4\n"                  \
  "vmladav.s8 " sum ", q7, q0\n"          \
  "vmladava.s8 " sum ", q6, q1\n"
// No register is left for a mask.
#define HEED_NIBBLES_2(sum, at)           \
  "vldrw.u32 q6, [%q[at], #" at "]\n"     \
  "vshl.i16 q7, q6, #12\n"                \
  "vshr.u16 q7, q7, #12\n"                \
  "vmladav.s16 " sum ", q7, q0\n"         \
  "vshl.i16 q7, q6, #4\n"                 \
  "vshr.u16 q7, q7, #12\n"                \
  "vmladava.s16 " sum ", q7, q1\n"        \
  "vshl.i16 q7, q6, #8\n"                 \
  "vshr.u16 q7, q7, #12\n"                \
  "vmladava.s16 " sum ", q7, q2\n"        \
  "vshr.u16 q6, q6, #12\n"                \
  "vmladava.s16 " sum ", q6, q3\n"
#define HEED_ROW_1                        \
  "vldrb.u8 q0, [%[x]], #16\n"            \
  "vldrb.u8 q1, [%[x]], #16\n"
#define HEED_ROW_2                        \
  "vldrh.u16 q0, [%[x]], #16\n"           \
  "vldrh.u16 q1, [%[x]], #16\n"           \
  "vldrh.u16 q2, [%[x]], #16\n"           \
  "vldrh.u16 q3, [%[x]], #16\n"
#define HEED_BIAS                         \
  "ldr %[a], [%[biases]], #4\n"           \
  "vadd.i32 q6, q6, %[a]\n"
#define HEED_GROUPS(ROW, TIMES, ...)                                                                              \
  asm volatile(                                                                                                   \
      "dls lr, %[groups]\n"                                                                                       \
      "1:\n" ROW                                                                                                  \
      TIMES("%[a]", "0") TIMES("%[b]", "4") TIMES("%[c]", "8") TIMES("%[d]", "12")                                \
      "vadd.i32 %q[at], %q[at], %[step]\n"                                                                        \
      "vmov q6[2], q6[0], %[a], %[c]\n"                                                                           \
      "vmov q6[3], q6[1], %[b], %[d]\n"                                                                           \
      __VA_ARGS__                                                                                                 \
      "vldrb.s32 q7, [%[multipliers]], #16\n"                                                                     \
      "vmul.i32 q6, q6, q7\n"                                                                                     \
      "vadd.i32 %q[sums], %q[sums], q6\n"                                                                         \
      "le lr, 1b\n"                                                                                               \
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [at] "+w"(from.at), [x] "+r"(from.x),         \
        [biases] "+r"(from.biases), [multipliers] "+l"(from.multipliers), [sums] "+w"(sums)                       \
      : [groups] "r"(groups), [step] "r"(step) HEED_MASK                                                          \
      : "memory", "lr", "q0", "q1", "q6", "q7" HEED_CLOBBERED)

/// Adds to the sums of four outputs those of whole groups, at least one.
template <DataType weights, DataType rows>
[[gnu::always_inline]] inline void add_whole_groups(GroupsOfFour& from, std::uint32_t groups,
                                                    int32x4_t& sums) noexcept {
  std::int32_t a, b, c, d;
  constexpr std::uint32_t step = weights == DataType::int4_multipliers ? 256 : 512;
  if constexpr (weights == DataType::int4_multipliers && rows == DataType::int8) {
    const uint8x16_t mask = vdupq_n_u8(0x0F);
#define HEED_MASK , [mask] "w"(mask)
#define HEED_CLOBBERED
    HEED_GROUPS(HEED_ROW_1, HEED_NIBBLES_1, HEED_BIAS);
  } else if constexpr (rows == DataType::int8) {
    const uint16x8_t mask = vdupq_n_u16(0x0080);
    HEED_GROUPS(HEED_ROW_1, HEED_BYTES_1, "");
#undef HEED_MASK
#undef HEED_CLOBBERED
#define HEED_MASK
#define HEED_CLOBBERED , "q2", "q3"
    // What the shared group_shift says.
  } else if constexpr (weights == DataType::int4_multipliers) {
    HEED_GROUPS(HEED_ROW_2, HEED_NIBBLES_2, HEED_BIAS "vrshr.s32 q6, q6, #2\n");
  } else {
    HEED_GROUPS(HEED_ROW_2, HEED_BYTES_2, HEED_BIAS "vrshr.s32 q6, q6, #6\n");
  }
#undef HEED_MASK
#undef HEED_CLOBBERED
}

// clang-format on
#undef HEED_BYTES_1
#undef HEED_BYTES_2
#undef HEED_NIBBLES_1
#undef HEED_NIBBLES_2
#undef HEED_ROW_1
#undef HEED_ROW_2
#undef HEED_BIAS
#undef HEED_GROUPS

}  // namespace heed::detail
