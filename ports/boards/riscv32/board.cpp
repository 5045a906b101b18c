// SPDX-License-Identifier: MIT
//
// Semihosting, the stack's mark and a counter on RV32. Semihosting is that of Arm with another instruction ("RISC-V
// Semihosting", RISC-V International): a debugger or an emulator serves it. On a board that nobody watches it is a
// fault. Weak: what a board defines itself wins.
#include "../board.h"

#include <cstdint>

extern "C" {
extern std::uint32_t board_stack_begin[], board_stack_end[];
void board_semihosting(std::uint32_t operation, const void* argument);
void board_fault();
}

namespace {

constexpr std::uint32_t write_text = 0x04;           // SYS_WRITE0
constexpr std::uint32_t exit_extended = 0x20;        // SYS_EXIT_EXTENDED
constexpr std::uint32_t application_exit = 0x20026;  // ADP_Stopped_ApplicationExit
constexpr std::uint32_t paint = 0xA5A5A5A5U;
constexpr int fault_code = 99;

}  // namespace

[[gnu::weak]] void board_print(const char* text) {
  board_semihosting(write_text, text);
}

[[gnu::weak]] void board_exit(int code) {
  const std::uint32_t block[2] = {application_exit, static_cast<std::uint32_t>(code)};
  board_semihosting(exit_extended, block);
  while (true) {
  }
}

void board_fault() {
  board_print("fault\n");
  board_exit(fault_code);
}

std::uint32_t board_stack_used() {
  const volatile std::uint32_t* lowest = board_stack_begin;
  while (lowest != board_stack_end && *lowest == paint) ++lowest;
  return static_cast<std::uint32_t>((board_stack_end - lowest) * sizeof(std::uint32_t));
}

/// The cycle counter, in two halves.
std::uint64_t board_count() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t again = 0;
  do {
    asm volatile("csrr %0, mcycleh\n\tcsrr %1, mcycle\n\tcsrr %2, mcycleh" : "=r"(high), "=r"(low), "=r"(again));
  } while (high != again);
  return std::uint64_t{high} << 32 | low;
}
