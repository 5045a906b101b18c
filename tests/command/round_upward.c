/* SPDX-License-Identifier: MIT
 *
 * Loaded into a program, it has it round upward from its start on. */
#include <fenv.h>

__attribute__((constructor)) static void round_upward(void) {
  fesetround(FE_UPWARD);
}
