// SPDX-License-Identifier: MIT
//
// Console and exit through semihosting ("Semihosting for AArch32 and AArch64", Arm; "RISC-V Semihosting", RISC-V
// International): a debugger or an emulator serves it. On a board that nobody watches it is a fault. Weak: what a board
// defines itself wins.
#include <cstdint>
#include <semihosting_call.hpp>

#include "board.h"

extern "C" void board_fault();

namespace {

constexpr std::uint32_t write_text = 0x04;            // SYS_WRITE0
constexpr std::uint32_t exit_extended = 0x20;         // SYS_EXIT_EXTENDED
constexpr std::uintptr_t application_exit = 0x20026;  // ADP_Stopped_ApplicationExit
constexpr int fault_code = 99;

}  // namespace

[[gnu::weak]] void board_print(const char* text) {
  heed::board::semihosting_call(write_text, text);
}

[[gnu::weak]] void board_exit(int code) {
  const std::uintptr_t block[2] = {application_exit, static_cast<std::uintptr_t>(code)};
  heed::board::semihosting_call(exit_extended, block);
  while (true) {
  }
}

/// What every exception ends in.
void board_fault() {
  board_print("fault\n");
  board_exit(fault_code);
}
