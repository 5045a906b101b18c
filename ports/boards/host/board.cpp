// SPDX-License-Identifier: MIT
//
// The desktop as a board: the same program, with the same output, before there is any hardware.
#include "../board.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

void board_print(const char* text) {
  std::fputs(text, stdout);
}

void board_exit(int code) {
  std::exit(code);
}

std::uint64_t board_count() {
  return 0;
}

std::uint32_t board_stack_used() {
  return 0;
}
