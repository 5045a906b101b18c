// SPDX-License-Identifier: MIT
//
// The cycle counter, in two halves. Under QEMU with -icount it counts instructions.
#include <cstdint>

#include "../board.h"

std::uint64_t board_count() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t again = 0;
  do {
    asm volatile("csrr %0, mcycleh\n\tcsrr %1, mcycle\n\tcsrr %2, mcycleh" : "=r"(high), "=r"(low), "=r"(again));
  } while (high != again);
  return std::uint64_t{high} << 32 | low;
}
