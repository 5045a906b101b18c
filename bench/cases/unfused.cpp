// SPDX-License-Identifier: MIT
//
// Fused attention beside the same kernels unfused, at every size.
#include "cases/topics.hpp"
#include "cases/unfused_case.hpp"

namespace heed::bench {
namespace {

void add_case(const std::string& name, const AttentionShape& shape) {
  add_benchmark(name, {.flop = work_of(shape).flop}, [=] {
    const auto fused = std::make_shared<AttentionCase>(shape);
    const auto unfused = std::make_shared<UnfusedCase>(*fused);
    unfused->run();
    fused->check(name + " (unfused)");
    unfused->run_by_blocks();
    fused->check(name + " (unfused, by blocks)");
    fused->run();
    fused->check(name);
    return Subject{.call = [fused] { fused->run(); },
                   .beside = {.counter = "fused_to_unfused", .call = [fused, unfused] { unfused->run(); }},
                   .beside_too = {.counter = "fused_to_blocks", .call = [fused, unfused] { unfused->run_by_blocks(); }},
                   .count_more =
                       [](benchmark::State& state) {
                         state.counters["blocks_to_unfused"] =
                             state.counters["fused_to_unfused"] / state.counters["fused_to_blocks"];
                       }};
  });
}

}  // namespace

void add_unfused() {
  for (const std::uint32_t head_dim : {32U, 64U, 128U}) {
    for (const std::uint32_t rows : {16U, 64U, 128U, 512U, 2048U}) {
      const std::string size = "/d:" + std::to_string(head_dim) + "/n:" + std::to_string(rows);
      add_case("unfused" + size, {.queries = rows, .keys = rows, .head_dim = head_dim});
    }
  }
  for (const std::uint32_t keys : {128U, 512U, 2048U, 8192U}) {
    add_case("unfused/decode/keys:" + std::to_string(keys), {.queries = 1, .keys = keys, .cached = true});
  }
  for (const std::uint32_t rows : {2U, 4U, 8U, 9U, 16U}) {
    add_case("unfused/rows:" + std::to_string(rows) + "/keys:2048", {.queries = rows, .keys = 2048, .cached = true});
  }
}

}  // namespace heed::bench
