// SPDX-License-Identifier: MIT
//
// Four sums of products of integers in r4-r7, over one run of a row: of four outputs, or of two outputs and two rows;
// and those of a whole panel, four after four.
// SMLAD multiplies two pairs at once; what takes the weights apart is shared by rows. Code for speed takes thirty-two
// inputs a round, beginning in the middle where they are fewer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// sums [4] from `pairs` times eight inputs, at least once; `row_bytes` from `x` on is the second row, if there is one.
using IntegerTile = void(const std::byte* weights, const std::byte* x, std::uint32_t pairs, std::int32_t* sums,
                         std::size_t row_bytes) noexcept;

/// The same of all outputs of a panel, shifted to what they stand for: sums [16], or [2, 16].
using IntegerPanel = IntegerTile;

// clang-format off
// r0 and r1 are where weights and row are, r2 counts, sums are stored where the stack says.
#define HEED_BEGIN "push {r2-r11, lr}\n"
#define HEED_START_ONE   \
  "ldr r4, [r1], #4\n"   \
  "mov r5, r4\n"         \
  "mov r6, r4\n"         \
  "mov r7, r4\n"
#define HEED_START_TWO(row_bytes_at)      \
  "ldr r3, [sp, #" row_bytes_at "]\n"     \
  "add r3, r1\n"         \
  "ldr r4, [r1], #4\n"   \
  "ldr r6, [r3], #4\n"   \
  "mov r5, r4\n"         \
  "mov r7, r6\n"
#define HEED_END             \
  "ldr r3, [sp, #4]\n"       \
  "stmia r3, {r4-r7}\n"      \
  "pop {r2-r11, pc}"

// On the stack of a panel: how many fours are left, room for a count, weights, row, count, sums, and then registers.
#define HEED_BEGIN_PANEL(fours) "push {r0-r11, lr}\n" "mov r12, #" fours "\n" "push {r12, lr}\n" "6:\n"
#define HEED_END_PANEL(weight_bytes)  \
  "str r3, [sp, #20]\n"               \
  "ldr r12, [sp]\n"                   \
  "subs r12, #1\n"                    \
  "str r12, [sp]\n"                   \
  "ldrd r0, r1, [sp, #8]\n"           \
  "ldr r2, [sp, #16]\n"               \
  "add r0, #" weight_bytes "\n"       \
  "str r0, [sp, #8]\n"                \
  "bne 6b\n"                          \
  "add sp, #8\n"                      \
  "pop {r0-r11, pc}"
#define HEED_SHIFT_SUMS "asr r4, #8\n" "asr r5, #8\n" "asr r6, #8\n" "asr r7, #8\n"
#define HEED_END_FOUR "ldr r3, [sp, #20]\n" "stmia r3!, {r4-r7}\n" HEED_END_PANEL("16")
#define HEED_END_TWO "ldr r3, [sp, #20]\n" "strd r6, r7, [r3, #64]\n" "strd r4, r5, [r3], #8\n" HEED_END_PANEL("8")

// A round of PAIR(at), at = 0, 1, 2, 3, each of 2^`log2_bytes` bytes of weights; r2 becomes the count of rounds.
#ifdef __OPTIMIZE_SIZE__
#define HEED_ENTER(log2_bytes)
#define HEED_ROUND(PAIR) "1:\n" PAIR("0")
#define HEED_NEXT_WEIGHTS(log2_bytes) "add r0, #1<<" log2_bytes "\n"
#else
#define HEED_ENTER(log2_bytes)              \
  "rsb r12, r2, #0\n"                       \
  "and r12, #3\n"                           \
  "sub r0, r0, r12, lsl #" log2_bytes "\n"  \
  "add r2, #3\n"                            \
  "lsr r2, #2\n"
#define HEED_ROUND(PAIR)                                   \
  "tbb [pc, r12]\n"                                        \
  "2:\n"                                                   \
  ".byte (1f-2b)/2, (3f-2b)/2, (4f-2b)/2, (5f-2b)/2\n"     \
  "1:\n" PAIR("0") "3:\n" PAIR("1") "4:\n" PAIR("2") "5:\n" PAIR("3")
#define HEED_NEXT_WEIGHTS(log2_bytes) "add r0, #4<<" log2_bytes "\n"
#endif
#define HEED_REPEAT "subs r2, #1\n" "bne 1b\n"
// Where r2 has another use.
#define HEED_KEEP_COUNT(at) "str r2, [sp, #" at "]\n"
#define HEED_REPEAT_KEPT(at) "ldr r12, [sp, #" at "]\n" "subs r12, #1\n" "str r12, [sp, #" at "]\n" "bne 1b\n"

#define HEED_LOAD_FOUR(at)         \
  "ldrd r8, r9, [r0, #" at "]\n"   \
  "ldrd r10, r11, [r0, #" at "+8]\n" \
  "ldrd r12, lr, [r1], #8\n"
#define HEED_LOAD_TWO(at)          \
  "ldrd r8, r9, [r0, #" at "]\n"   \
  "ldrd r10, r11, [r1], #8\n"      \
  "ldrd r12, lr, [r3], #8\n"

// Words as they are, and their even bytes.
#define HEED_RAW(word, sum)                       \
  "smlad " sum ", " word ", r12, " sum "\n"       \
  "uxtb16 " word ", " word "\n"                   \
  "smlad " sum ", " word ", lr, " sum "\n"
#define HEED_FOUR_RAW(at) HEED_LOAD_FOUR(at) HEED_RAW("r8", "r4") HEED_RAW("r9", "r5") HEED_RAW("r10", "r6") HEED_RAW("r11", "r7")
#define HEED_PAIR_FOUR_RAW(at) HEED_FOUR_RAW("128*" at) HEED_FOUR_RAW("128*" at "+64")
#define HEED_RAW_ROWS(word, sum0, sum1)           \
  "smlad " sum0 ", " word ", r10, " sum0 "\n"     \
  "smlad " sum1 ", " word ", r12, " sum1 "\n"     \
  "uxtb16 " word ", " word "\n"                   \
  "smlad " sum0 ", " word ", r11, " sum0 "\n"     \
  "smlad " sum1 ", " word ", lr, " sum1 "\n"
#define HEED_TWO_RAW(at) HEED_LOAD_TWO(at) HEED_RAW_ROWS("r8", "r4", "r6") HEED_RAW_ROWS("r9", "r5", "r7")
#define HEED_PAIR_TWO_RAW(at) HEED_TWO_RAW("128*" at) HEED_TWO_RAW("128*" at "+64")

// Even bytes without a sign, and odd bytes with one.
#define HEED_BYTES(word, sum)                     \
  "uxtb16 r3, " word "\n"                         \
  "sxtb16 " word ", " word ", ror #8\n"           \
  "smlad " sum ", r3, r12, " sum "\n"             \
  "smlad " sum ", " word ", lr, " sum "\n"
#define HEED_FOUR_BYTES(at) HEED_LOAD_FOUR(at) HEED_BYTES("r8", "r4") HEED_BYTES("r9", "r5") HEED_BYTES("r10", "r6") HEED_BYTES("r11", "r7")
#define HEED_PAIR_FOUR_BYTES(at) HEED_FOUR_BYTES("128*" at) HEED_FOUR_BYTES("128*" at "+64")
#define HEED_BYTES_ROWS(word, sum0, sum1)         \
  "uxtb16 r2, " word "\n"                         \
  "sxtb16 " word ", " word ", ror #8\n"           \
  "smlad " sum0 ", r2, r10, " sum0 "\n"           \
  "smlad " sum1 ", r2, r12, " sum1 "\n"           \
  "smlad " sum0 ", " word ", r11, " sum0 "\n"     \
  "smlad " sum1 ", " word ", lr, " sum1 "\n"
#define HEED_TWO_BYTES(at) HEED_LOAD_TWO(at) HEED_BYTES_ROWS("r8", "r4", "r6") HEED_BYTES_ROWS("r9", "r5", "r7")
#define HEED_PAIR_TWO_BYTES(at) HEED_TWO_BYTES("128*" at) HEED_TWO_BYTES("128*" at "+64")

// Two nibbles of a word at a time.
#define HEED_NIBBLES(word, sum)                   \
  "and r3, r2, " word "\n"                        \
  "smlad " sum ", r3, r8, " sum "\n"              \
  "and r3, r2, " word ", lsr #8\n"                \
  "smlad " sum ", r3, r9, " sum "\n"              \
  "and r3, r2, " word ", lsr #4\n"                \
  "smlad " sum ", r3, r10, " sum "\n"             \
  "and r3, r2, " word ", lsr #12\n"               \
  "smlad " sum ", r3, r11, " sum "\n"
#define HEED_PAIR_NIBBLES(at)             \
  "ldmia r1!, {r8-r11}\n"                 \
  "ldrd r12, lr, [r0, #64*" at "]\n"      \
  HEED_NIBBLES("r12", "r4")               \
  HEED_NIBBLES("lr", "r5")                \
  "ldrd r12, lr, [r0, #64*" at "+8]\n"    \
  HEED_NIBBLES("r12", "r6")               \
  HEED_NIBBLES("lr", "r7")

/// Bytes times bytes: 256 times the sums.
[[gnu::naked]] inline void four_of_raw_words(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                             std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_ONE HEED_ENTER("7") HEED_ROUND(HEED_PAIR_FOUR_RAW) HEED_NEXT_WEIGHTS("7") HEED_REPEAT
      HEED_END);
}
[[gnu::naked]] inline void two_by_two_of_raw_words(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                                   std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_TWO("44") HEED_ENTER("7") HEED_ROUND(HEED_PAIR_TWO_RAW) HEED_NEXT_WEIGHTS("7") HEED_REPEAT
      HEED_END);
}

/// Bytes times 16 bits.
[[gnu::naked]] inline void four_of_bytes(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                         std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_ONE HEED_ENTER("7") HEED_ROUND(HEED_PAIR_FOUR_BYTES) HEED_NEXT_WEIGHTS("7") HEED_REPEAT
      HEED_END);
}
[[gnu::naked]] inline void two_by_two_of_bytes(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                               std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_TWO("44") HEED_ENTER("7") HEED_KEEP_COUNT("0") HEED_ROUND(HEED_PAIR_TWO_BYTES)
      HEED_NEXT_WEIGHTS("7") HEED_REPEAT_KEPT("0") HEED_END);
}

/// Bytes times bytes.
[[gnu::naked]] inline void panel_of_raw_words(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                              std::size_t) noexcept {
  asm(HEED_BEGIN_PANEL("4") HEED_START_ONE HEED_ENTER("7") HEED_ROUND(HEED_PAIR_FOUR_RAW) HEED_NEXT_WEIGHTS("7")
      HEED_REPEAT HEED_SHIFT_SUMS HEED_END_FOUR);
}
[[gnu::naked]] inline void two_rows_of_raw_words(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                                 std::size_t) noexcept {
  asm(HEED_BEGIN_PANEL("8") HEED_START_TWO("60") HEED_ENTER("7") HEED_ROUND(HEED_PAIR_TWO_RAW) HEED_NEXT_WEIGHTS("7")
      HEED_REPEAT HEED_SHIFT_SUMS HEED_END_TWO);
}

/// Bytes times 16 bits.
[[gnu::naked]] inline void panel_of_bytes(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                          std::size_t) noexcept {
  asm(HEED_BEGIN_PANEL("4") HEED_START_ONE HEED_ENTER("7") HEED_ROUND(HEED_PAIR_FOUR_BYTES) HEED_NEXT_WEIGHTS("7")
      HEED_REPEAT HEED_END_FOUR);
}
[[gnu::naked]] inline void two_rows_of_bytes(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                             std::size_t) noexcept {
  asm(HEED_BEGIN_PANEL("8") HEED_START_TWO("60") HEED_ENTER("7") HEED_KEEP_COUNT("4") HEED_ROUND(HEED_PAIR_TWO_BYTES)
      HEED_NEXT_WEIGHTS("7") HEED_REPEAT_KEPT("4") HEED_END_TWO);
}

/// Nibbles times 16 bits.
[[gnu::naked]] inline void four_of_nibbles(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                           std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_ONE HEED_ENTER("6") HEED_KEEP_COUNT("0") "mov r2, #0x000F000F\n" HEED_ROUND(HEED_PAIR_NIBBLES)
      HEED_NEXT_WEIGHTS("6") HEED_REPEAT_KEPT("0") HEED_END);
}

// clang-format on
#undef HEED_BEGIN
#undef HEED_START_ONE
#undef HEED_START_TWO
#undef HEED_END
#undef HEED_BEGIN_PANEL
#undef HEED_END_PANEL
#undef HEED_SHIFT_SUMS
#undef HEED_END_FOUR
#undef HEED_END_TWO
#undef HEED_ENTER
#undef HEED_ROUND
#undef HEED_NEXT_WEIGHTS
#undef HEED_REPEAT
#undef HEED_KEEP_COUNT
#undef HEED_REPEAT_KEPT
#undef HEED_LOAD_FOUR
#undef HEED_LOAD_TWO
#undef HEED_RAW
#undef HEED_FOUR_RAW
#undef HEED_PAIR_FOUR_RAW
#undef HEED_RAW_ROWS
#undef HEED_TWO_RAW
#undef HEED_PAIR_TWO_RAW
#undef HEED_BYTES
#undef HEED_FOUR_BYTES
#undef HEED_PAIR_FOUR_BYTES
#undef HEED_BYTES_ROWS
#undef HEED_TWO_BYTES
#undef HEED_PAIR_TWO_BYTES
#undef HEED_NIBBLES
#undef HEED_PAIR_NIBBLES

}  // namespace heed::detail
