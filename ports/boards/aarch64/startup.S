/* SPDX-License-Identifier: MIT
 *
 * From reset to main() on an AArch64 core that starts at EL1, alone. With the MMU off all memory is device memory,
 * where an unaligned access is a fault; one table that maps addresses to themselves makes it normal memory. */

#include "../stack_paint.h"

  .section .text.board_reset, "ax"
  .global board_reset
board_reset:
  mrs x0, mpidr_el1
  and x0, x0, #0xFF
  cbnz x0, park

  ldr x0, =board_stack_end
  mov sp, x0
  adr x0, vectors
  msr vbar_el1, x0
  mov x0, #(3 << 20)          /* CPACR_EL1.FPEN: floating point and vectors */
  msr cpacr_el1, x0

  /* 4 KiB granules, 39 bits of address: one entry is 1 GiB. */
  ldr x0, =table
  msr ttbr0_el1, x0
  ldr x0, =0xFF00             /* attribute 0: device, 1: normal, write-back */
  msr mair_el1, x0
  ldr x0, =0x803519           /* TCR_EL1: T0SZ 25, cacheable, shared, no TTBR1 */
  msr tcr_el1, x0
  isb
  mrs x0, sctlr_el1
  ldr x1, =0x1005             /* SCTLR_EL1: MMU, data and instruction caches */
  orr x0, x0, x1
  msr sctlr_el1, x0
  isb

  ldr x0, =board_bss_begin
  ldr x1, =board_bss_end
clear:
  cmp x0, x1
  b.hs paint
  str xzr, [x0], #8
  b clear

paint:
  ldr x0, =board_stack_begin
  mov x1, sp
  ldr w2, =BOARD_STACK_PAINT
paint_word:
  cmp x0, x1
  b.hs run
  str w2, [x0], #4
  b paint_word

run:
  bl board_start_counter
  bl main
  bl board_exit

park:
  wfe
  b park

/* Sixteen exceptions, all of them faults. */
  .balign 2048
vectors:
  .rept 16
  .balign 128
  b board_fault
  .endr

  .section .rodata.table, "a"
  .balign 4096
table:
  .quad 0x401                 /* 0 to 1 GiB: devices, attribute 0 */
  .quad 0x40000705            /* 1 to 2 GiB: memory, attribute 1, shared */
  .fill 510, 8, 0
