// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

extern "C" void board_semihosting(std::uint32_t operation, const void* argument);  // startup.S

namespace heed::board {

inline void semihosting_call(std::uint32_t operation, const void* argument) {
  board_semihosting(operation, argument);
}

}  // namespace heed::board
