// SPDX-License-Identifier: MIT
//
// Semihosting, the stack's mark and a counter on AArch64.
#include "../board.h"

#include <cstdint>

extern "C" {
extern std::uint32_t board_stack_begin[], board_stack_end[];
void board_start_counter();
void board_fault();
}

namespace {

constexpr std::uint64_t write_text = 0x04;           // SYS_WRITE0
constexpr std::uint64_t exit_extended = 0x20;        // SYS_EXIT_EXTENDED
constexpr std::uint64_t application_exit = 0x20026;  // ADP_Stopped_ApplicationExit
constexpr std::uint32_t paint = 0xA5A5A5A5U;
constexpr int fault_code = 99;

void semihosting(std::uint64_t operation, const void* argument) {
  register std::uint64_t x0 asm("x0") = operation;
  register const void* x1 asm("x1") = argument;
  asm volatile("hlt #0xF000" : "+r"(x0) : "r"(x1) : "memory");
}

}  // namespace

[[gnu::weak]] void board_print(const char* text) {
  semihosting(write_text, text);
}

[[gnu::weak]] void board_exit(int code) {
  const std::uint64_t block[2] = {application_exit, static_cast<std::uint64_t>(code)};
  semihosting(exit_extended, block);
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
  return static_cast<std::uint32_t>((board_stack_end - lowest) * static_cast<std::int64_t>(sizeof(std::uint32_t)));
}

/// The first event counter of the performance monitor: INST_RETIRED, at EL1.
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
