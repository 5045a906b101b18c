// SPDX-License-Identifier: MIT
//
// The whole multi-head layer: three projections, attention, the output projection.
#include "cases/layer_case.hpp"
#include "cases/topics.hpp"

namespace heed::bench {

void add_layer() {
  for (const LayerShape shape : {LayerShape{}, LayerShape{.tokens = 99}, LayerShape{.tokens = 512}}) {
    const std::string name = "layer/n:" + std::to_string(shape.tokens) + "/d:" + std::to_string(shape.model_dim);
    add_benchmark(name, work_of(shape), [=] {
      const auto measured = std::make_shared<LayerCase>(shape);
      measured->run();
      measured->check(name);
      return Subject{.call = [measured] { measured->run(); }};
    });
  }
}

}  // namespace heed::bench
