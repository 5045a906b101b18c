// SPDX-License-Identifier: MIT
//
// Console and exit through semihosting ("Semihosting for AArch32 and AArch64", Arm): a debugger or an emulator serves
// the breakpoint. On a board that nobody watches it is a fault. Weak: what a board defines itself wins.
#include <cstdint>

#include "../board.h"

namespace {

constexpr std::uint32_t write_text = 0x04;           // SYS_WRITE0
constexpr std::uint32_t exit_extended = 0x20;        // SYS_EXIT_EXTENDED
constexpr std::uint32_t application_exit = 0x20026;  // ADP_Stopped_ApplicationExit

void semihosting(std::uint32_t operation, const void* argument) {
  register std::uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

}  // namespace

[[gnu::weak]] void board_print(const char* text) {
  semihosting(write_text, text);
}

[[gnu::weak]] void board_exit(int code) {
  const std::uint32_t block[2] = {application_exit, static_cast<std::uint32_t>(code)};
  semihosting(exit_extended, block);
  while (true) {
  }
}
