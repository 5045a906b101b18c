/* SPDX-License-Identifier: MIT
 *
 * From reset to main() on an RV32 core in machine mode, alone. The linker script provides the addresses. */

#include "../stack_paint.h"

  .section .vectors, "ax"
  .global board_reset
board_reset:
  csrr t0, mhartid
  bnez t0, park

  la sp, board_stack_end
  la t0, trap
  csrw mtvec, t0
#ifdef __riscv_flen
  li t0, 1 << 13              /* mstatus.FS: floating point */
  csrs mstatus, t0
  csrw fcsr, zero
#endif

  la t0, board_data_load
  la t1, board_data_begin
  la t2, board_data_end
copy:
  bgeu t1, t2, clear
  lw t3, (t0)
  sw t3, (t1)
  addi t0, t0, 4
  addi t1, t1, 4
  j copy

clear:
  la t1, board_bss_begin
  la t2, board_bss_end
clear_word:
  bgeu t1, t2, paint
  sw zero, (t1)
  addi t1, t1, 4
  j clear_word

paint:
  la t1, board_stack_begin
  li t3, BOARD_STACK_PAINT
paint_word:
  bgeu t1, sp, run
  sw t3, (t1)
  addi t1, t1, 4
  j paint_word

run:
  call main
  call board_exit

park:
  wfi
  j park

/* Every exception is a fault. */
  .balign 4
trap:
  call board_fault

/* board_semihosting(operation, argument): these three instructions, none of them compressed, on one page. */
  .section .text.board_semihosting, "ax"
  .global board_semihosting
  .balign 16
  .option push
  .option norvc
board_semihosting:
  slli zero, zero, 0x1f
  ebreak
  srai zero, zero, 7
  .option pop
  ret
