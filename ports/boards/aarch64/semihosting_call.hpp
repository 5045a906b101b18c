// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::board {

inline void semihosting_call(std::uint32_t operation, const void* argument) {
  register std::uint64_t x0 asm("x0") = operation;
  register const void* x1 asm("x1") = argument;
  asm volatile("hlt #0xF000" : "+r"(x0) : "r"(x1) : "memory");
}

}  // namespace heed::board
