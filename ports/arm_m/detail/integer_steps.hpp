// SPDX-License-Identifier: MIT
//
// What the pieces of assembly are made of that add up products of integers. SMLAD multiplies two pairs at once; what
// takes the weights apart is shared by rows. Code for speed takes thirty-two inputs a round, beginning in the middle
// where they are fewer.
#pragma once

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
#define HEED_REPEAT_ROUND "subs r2, #1\n" "bne 1b\n"
// Where r2 has another use.
#define HEED_KEEP_COUNT(at) "str r2, [sp, #" at "]\n"
#define HEED_REPEAT_KEPT(at) "ldr r12, [sp, #" at "]\n" "subs r12, #1\n" "str r12, [sp, #" at "]\n" "bne 1b\n"

#define HEED_LOAD_FOUR(at)         \
  "ldrd r8, r9, [r0, #" at "]\n"   \
  "ldrd r10, r11, [r0, #" at "+8]\n" \
  "ldrd r12, lr, [r1], #8\n"
#define HEED_LOAD_TWO_ROWS(at)          \
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
#define HEED_TWO_RAW(at) HEED_LOAD_TWO_ROWS(at) HEED_RAW_ROWS("r8", "r4", "r6") HEED_RAW_ROWS("r9", "r5", "r7")
#define HEED_PAIR_TWO_RAW(at) HEED_TWO_RAW("128*" at) HEED_TWO_RAW("128*" at "+64")

// A round that is too long for a table of bytes. Its last load leads to the next round's weights, and so all of them
// are addressed from as many bytes before.
#define HEED_LONG_ROUND(PAIR, LAST)                                   \
  "tbh [pc, r12, lsl #1]\n"                                           \
  "2:\n"                                                              \
  ".short (1f-2b)/2, (3f-2b)/2, (4f-2b)/2, (5f-2b)/2\n"               \
  "1:\n" PAIR("0") "3:\n" PAIR("1") "4:\n" PAIR("2") "5:\n" LAST
// Eight outputs.
#define HEED_EIGHT_BASE "40"
#define HEED_START_EIGHT HEED_START_ONE_ROW "mov r8, r4\n" "mov r9, r4\n" "mov r10, r4\n" "mov r11, r4\n"
#define HEED_RAW_PAIR(address, sum0, sum1)        \
  "ldrd r2, r3, " address "\n"                    \
  "smlad " sum0 ", r2, r12, " sum0 "\n"           \
  "smlad " sum1 ", r3, r12, " sum1 "\n"           \
  "uxtb16 r2, r2\n"                               \
  "uxtb16 r3, r3\n"                               \
  "smlad " sum0 ", r2, lr, " sum0 "\n"            \
  "smlad " sum1 ", r3, lr, " sum1 "\n"
#define HEED_EIGHT_RAW(at, on)                                        \
  "ldrd r12, lr, [r1], #8\n"                                          \
  HEED_RAW_PAIR("[r0, #" at "+40]", "r4", "r5")                       \
  HEED_RAW_PAIR("[r0, #" at "+48]", "r6", "r7")                       \
  HEED_RAW_PAIR("[r0, #" at "+56]", "r8", "r9")                       \
  HEED_RAW_PAIR("[r0, #" at "+64]" on, "r10", "r11")
#define HEED_PAIR_EIGHT_RAW(at) HEED_EIGHT_RAW("128*" at, "") HEED_EIGHT_RAW("128*" at "+64", "")
#define HEED_LAST_EIGHT_RAW HEED_EIGHT_RAW("384", "") HEED_EIGHT_RAW("448", "!")
#define HEED_ROUND_OF_EIGHT HEED_LONG_ROUND(HEED_PAIR_EIGHT_RAW, HEED_LAST_EIGHT_RAW)

// Even bytes without a sign, and odd bytes with one.
#define HEED_BYTES(word, sum)                     \
  "uxtb16 r3, " word "\n"                         \
  "sxtb16 " word ", " word ", ror #8\n"           \
  "smlad " sum ", r3, r12, " sum "\n"             \
  "smlad " sum ", " word ", lr, " sum "\n"
#define HEED_FOUR_OF_BYTES(at) HEED_LOAD_FOUR(at) HEED_BYTES("r8", "r4") HEED_BYTES("r9", "r5") HEED_BYTES("r10", "r6") HEED_BYTES("r11", "r7")
#define HEED_PAIR_FOUR_BYTES(at) HEED_FOUR_OF_BYTES("128*" at) HEED_FOUR_OF_BYTES("128*" at "+64")
#define HEED_BYTES_ROWS(word, sum0, sum1)         \
  "uxtb16 r2, " word "\n"                         \
  "sxtb16 " word ", " word ", ror #8\n"           \
  "smlad " sum0 ", r2, r10, " sum0 "\n"           \
  "smlad " sum1 ", r2, r12, " sum1 "\n"           \
  "smlad " sum0 ", " word ", r11, " sum0 "\n"     \
  "smlad " sum1 ", " word ", lr, " sum1 "\n"
#define HEED_TWO_BYTES(at) HEED_LOAD_TWO_ROWS(at) HEED_BYTES_ROWS("r8", "r4", "r6") HEED_BYTES_ROWS("r9", "r5", "r7")
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
// clang-format on
