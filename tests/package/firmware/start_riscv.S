/* SPDX-License-Identifier: MIT
 *
 * For the emulator of Linux programs: main(), whose result is the exit code. */
.globl _start
_start:
.option push
.option norelax
  la gp, __global_pointer$
.option pop
  call main
  li a7, 93
  ecall
