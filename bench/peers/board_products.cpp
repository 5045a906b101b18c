// SPDX-License-Identifier: MIT
//
// Products of int8 by int8 on a board, and what they cannot go below, counted in its emulator: 16 rows of 256 inputs
// and 64 outputs, and 64 rows of 1024 inputs and 1024 outputs.
#include "board_products.hpp"

#include <board.h>

namespace {

heed::bench::BoardProducts<16, 256, 64> small;
heed::bench::BoardProducts<64, 1024, 1024> large;

}  // namespace

int main() {
  small.fill();
  large.fill();
  const bool good = small.measure(16, 64, "heed, 16 x 256 x 64") && large.measure(64, 1024, "heed, 64 x 1024 x 1024");
  small.measure_limit(16, 64, "limit, 16 x 256 x 64");
  large.measure_limit(64, 1024, "limit, 64 x 1024 x 1024");
  if (!good) board_print("a product was refused\n");
  return good ? 0 : 1;
}
