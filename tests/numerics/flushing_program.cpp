// SPDX-License-Identifier: MIT
//
// Linked with -ffast-math, which has this program start with subnormal numbers flushed.
#include "heed/types.hpp"

int main() {
  return heed::float_environment_is_standard() ? 1 : 0;
}
