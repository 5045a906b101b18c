// SPDX-License-Identifier: MIT
#include "checks.hpp"
#include "heed/heed.hpp"

namespace heed::test {

struct Row {
  MultiHeadConfig config;
  std::uint32_t bytes;
  std::uint32_t weights_bytes;
};

namespace {

/// Rows of the memory table of docs/figures.md: the same numbers on every target.
constexpr Row table[] = {
    {{.model_dim = 64, .heads = 4, .kv_heads = 2, .head_dim = 16, .max_keys = 128}, 87616, 49984},
    {{.model_dim = 64, .heads = 4, .kv_heads = 2, .head_dim = 16, .max_keys = 128, .scratch_budget = 4096},
     40896,
     49984},
    {{.model_dim = 64, .heads = 1, .max_keys = 99, .scratch_budget = 8192}, 66880, 66624},
    {{.model_dim = 512, .heads = 8, .max_keys = 2048}, 8655424, 4202560},
};

constexpr bool holds(const Row& row) {
  MultiHeadPlan made;
  return make_plan(row.config, made) == Status::ok && made.bytes == row.bytes &&
         made.weights_bytes == row.weights_bytes;
}
static_assert(holds(table[0]) && holds(table[1]) && holds(table[2]) && holds(table[3]));

}  // namespace

/// A copy that the compiler cannot know at run time; in .data, which the start-up code has to fill.
Row run_time_table[] = {table[0], table[1], table[2], table[3]};

Outcome check_plans() {
  Outcome outcome;
  for (const Row& row : run_time_table) {
    if (!holds(row)) ++outcome.failures;
    ++outcome.cases;
  }
  return outcome;
}

}  // namespace heed::test
