/* SPDX-License-Identifier: MIT
 *
 * What the example firmware and the checks ask of a board. The library itself asks for nothing. The start-up code calls
 * main() and passes what it returns to board_exit(). */
#ifndef HEED_BOARD_H
#define HEED_BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text, ended by a zero byte, to whoever watches: a debugger, an emulator, a serial line. */
void board_print(const char* text);

/* A number in decimal, and all sixteen hexadecimal digits of one. */
void board_print_number(uint64_t number);
void board_print_hexadecimal(uint64_t number);

/* Ends the program; a board that cannot end waits for ever. */
#ifdef __cplusplus
[[noreturn]]
#endif
void board_exit(int code);

/* Counts up: instructions in QEMU as the toolchain files start it; on hardware, cycles of a Cortex-M or a RISC-V and
 * instructions of a Cortex-A; 0 where nothing counts. */
uint64_t board_count(void);

/* Bytes of stack used at most since the start, the caller's frame included; 0 where nobody knows. */
uint32_t board_stack_used(void);

#ifdef __cplusplus
}
#endif
#endif
