// SPDX-License-Identifier: MIT
//
// The smallest call there is: what checking and set-up cost.
#include "cases/attention_case.hpp"
#include "cases/topics.hpp"

namespace heed::bench {

void add_fixed_cost() {
  const std::string name = "fixed_cost";
  add_benchmark(name, {}, [name] {
    const auto measured = std::make_shared<AttentionCase>(
        AttentionShape{.queries = 1, .keys = 1, .head_dim = 16, .heads = 1, .kv_heads = 1});
    measured->run();
    measured->check(name);
    return Subject{.call = [measured] { measured->run(); }};
  });
}

}  // namespace heed::bench
