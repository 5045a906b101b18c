// SPDX-License-Identifier: MIT
//
// How deep the stack has been.
#include <cstddef>
#include <cstdint>

#include "board.h"
#include "stack_paint.h"

extern "C" {
extern std::uint32_t board_stack_begin[], board_stack_end[];
}

std::uint32_t board_stack_used() {
  const volatile std::uint32_t* lowest = board_stack_begin;
  while (lowest != board_stack_end && *lowest == BOARD_STACK_PAINT) ++lowest;
  return static_cast<std::uint32_t>(static_cast<std::size_t>(board_stack_end - lowest) * sizeof(std::uint32_t));
}
