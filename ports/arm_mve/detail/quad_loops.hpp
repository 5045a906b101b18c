// SPDX-License-Identifier: MIT
//
// Loops over a row, four numbers at a time, the last of which are masked: four quads a round, or one in code for size.
#pragma once

// The instructions of a quad, and the counts as operands.
#ifdef __OPTIMIZE_SIZE__
#define HEED_EACH_QUAD(...)    \
  "wlstp.32 lr, %[left], 2f\n" \
  "1:\n" __VA_ARGS__           \
  "letp lr, 1b\n"              \
  "2:\n"
#define HEED_QUADS_OF(count) [left] "r"(count)
#else
#define HEED_EACH_QUAD(...)                              \
  "wls lr, %[sixteens], 2f\n"                            \
  "1:\n" __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ \
  "le lr, 1b\n"                                          \
  "2:\n"                                                 \
  "wlstp.32 lr, %[left], 4f\n"                           \
  "3:\n" __VA_ARGS__                                     \
  "letp lr, 3b\n"                                        \
  "4:\n"
#define HEED_QUADS_OF(count) [sixteens] "r"((count) / 16), [left] "r"((count) % 16)
#endif
