// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::board {

inline void semihosting_call(std::uint32_t operation, const void* argument) {
  register std::uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

}  // namespace heed::board
