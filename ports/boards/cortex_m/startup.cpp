// SPDX-License-Identifier: MIT
//
// From reset to main() on a Cortex-M, with an FPU or without. The linker script provides the addresses.
#include <cstddef>
#include <cstdint>

#include "../board.h"
#include "../stack_paint.h"
#include "counter.hpp"

extern "C" {
extern std::uint32_t board_data_load[], board_data_begin[], board_data_end[];
extern std::uint32_t board_bss_begin[], board_bss_end[];
extern std::uint32_t board_stack_begin[], board_stack_end[];
int main();
void board_reset();
void board_fault();
}

namespace {

void enable_floating_point() {
#if defined(__ARM_FP)
  // CPACR: coprocessors 10 and 11.
  auto& access_control = *reinterpret_cast<volatile std::uint32_t*>(0xE000ED88);
  access_control = access_control | 0xFU << 20;
  asm volatile("dsb\n\tisb" ::: "memory");
#if defined(__ARM_FEATURE_MVE)
  // FPSCR.LTPSIZE = 4: no tail predication outside low-overhead loops.
  std::uint32_t status;
  asm volatile("vmrs %0, fpscr" : "=r"(status));
  status = (status & ~(7U << 16)) | 4U << 16;
  asm volatile("vmsr fpscr, %0" ::"r"(status));
#endif
#endif
}

/// Before it there is no .data and no .bss.
void fill_memory() {
  const std::uint32_t* from = board_data_load;
  for (std::uint32_t* to = board_data_begin; to != board_data_end; ++to) *to = *from++;
  for (std::uint32_t* to = board_bss_begin; to != board_bss_end; ++to) *to = 0;
  // The unused part of the stack, below the frames that are in use now.
  auto* const here = static_cast<std::uint32_t*>(__builtin_frame_address(0)) - 64;
  for (volatile std::uint32_t* to = board_stack_begin; to < here; ++to) *to = BOARD_STACK_PAINT;
}

}  // namespace

void board_reset() {
  enable_floating_point();
  fill_memory();
  heed::board::start_counter();
  board_exit(main());
}

namespace {

/// The first words of flash: the stack pointer, then the handlers of reset and of the fourteen other system exceptions.
/// A board that uses interrupts appends theirs.
struct Vectors {
  std::uint32_t* stack;
  void (*handlers[15])();
};

[[gnu::section(".vectors"), gnu::used]] const Vectors vectors = {
    board_stack_end,
    {board_reset, board_fault, board_fault, board_fault, board_fault, board_fault, board_fault, board_fault,
     board_fault, board_fault, board_fault, board_fault, board_fault, board_fault, heed::board::counter_wrapped}};

}  // namespace
