// SPDX-License-Identifier: MIT
//
// Every shape with every set of data. Prints the name of each run, in the order in which they are counted.
#include <cstdio>

#include "runs/runs.hpp"

int main() {
  bool good = true;
  for (const auto& shapes : {heed::test::attention_shapes(), heed::test::cache_shapes(), heed::test::layer_shapes()}) {
    for (const heed::test::Named& shape : shapes) {
      for (std::uint32_t set = 0; set < heed::test::data_sets; ++set) {
        good = shape.run(set) && good;
        std::printf("%s\n", shape.name);
      }
    }
  }
  return good ? 0 : 1;
}
