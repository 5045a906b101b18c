// SPDX-License-Identifier: MIT
//
// The first event counter of the performance monitor: INST_RETIRED, at EL1.
#include <cstdint>

#include "../board.h"

extern "C" void board_start_counter();

void board_start_counter() {
  asm volatile(
      "msr pmevtyper0_el0, %0\n\t"
      "msr pmcntenset_el0, %1\n\t"
      "msr pmcr_el0, %1\n\t"
      "isb" ::"r"(std::uint64_t{0x08}),
      "r"(std::uint64_t{1}));
}

std::uint64_t board_count() {
  std::uint64_t count;
  asm volatile("isb\n\tmrs %0, pmevcntr0_el0" : "=r"(count)::"memory");
  return count;
}
