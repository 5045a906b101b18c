// SPDX-License-Identifier: MIT
//
// Steps of the loops over many rows, in assembly: q7 has the addresses of words of weights, q6 their bias, and r1
// points to where those are kept that no register holds.
#pragma once

// clang-format off
#define HEED_MANY_LOAD(quad, at) "vldrw.u32 " quad ", [q7, #" at "\n" "veor " quad ", " quad ", q6\n"
#define HEED_MANY_PUT(quad, number) "vstrw.32 " quad ", [r1, #16 * " number "]\n"
#define HEED_MANY_TAKE(quad, number) "vldrw.u32 " quad ", [r1, #16 * " number "]\n"
#define HEED_MANY_ROW(kind, from, first, second, a, b)   \
  "vldrw.u32 q7, [" from "]\n"                     \
  kind " " a ", " first ", q7\n"                   \
  kind " " b ", " second ", q7\n"
#define HEED_MANY_STORE_SUMS "stm r11!, {r0, r2, r4, r6, r8, r10, r12, lr}\n"
// clang-format on
