/* SPDX-License-Identifier: MIT */
#include "layer.h"

int main(void) {
  return run_layer();
}
