// SPDX-License-Identifier: MIT
//
// SysTick counts down 24 bits at the core's clock; its exception counts the rounds. Under QEMU with -icount shift=6 an
// instruction takes 64 ns, so that a board's clock turns ticks into instructions. BOARD_COUNTS_PER_256_TICKS is what
// 256 ticks are counted as: 256 on hardware; 4 * nanoseconds per tick under QEMU.
#include "counter.hpp"

#include <cstdint>

#include "../board.h"

namespace {

struct SysTick {
  volatile std::uint32_t control;  // SYST_CSR
  volatile std::uint32_t reload;   // SYST_RVR
  volatile std::uint32_t value;    // SYST_CVR
};

constexpr std::uint32_t round_ticks = 1U << 24;

SysTick& sys_tick() {
  return *reinterpret_cast<SysTick*>(0xE000E010);
}

volatile std::uint32_t rounds = 0;

}  // namespace

void heed::board::start_counter() {
  SysTick& timer = sys_tick();
  timer.reload = round_ticks - 1;
  timer.value = 0;
  timer.control = 7;  // on, with its exception, at the core's clock
  // It reads 0 until its first tick.
  while (timer.value == 0) {
  }
}

void heed::board::counter_wrapped() {
  rounds = rounds + 1;
}

std::uint64_t board_count() {
  std::uint32_t before = 0;
  std::uint32_t value = 0;
  do {
    before = rounds;
    value = sys_tick().value;
  } while (before != rounds);
  const std::uint64_t ticks = std::uint64_t{before} * round_ticks + (round_ticks - 1 - value);
  return ticks * BOARD_COUNTS_PER_256_TICKS >> 8;
}
