/* SPDX-License-Identifier: MIT */
#include <pico/stdlib.h>

#include "../layer.h"

int main(void) {
  stdio_init_all();
  return run_layer();
}
