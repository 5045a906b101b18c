/* SPDX-License-Identifier: MIT
 *
 * The word that the start-up code fills the stack with: what the program has overwritten has been used. */
#ifndef HEED_STACK_PAINT_H
#define HEED_STACK_PAINT_H

#define BOARD_STACK_PAINT 0xA5A5A5A5

#endif
