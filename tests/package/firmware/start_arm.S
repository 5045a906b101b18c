/* SPDX-License-Identifier: MIT
 *
 * For the emulator of Linux programs: main(), whose result is the exit code. */
.syntax unified
.thumb
.globl _start
.thumb_func
_start:
  bl main
  movs r7, #1
  svc #0
