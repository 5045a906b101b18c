// SPDX-License-Identifier: MIT
//
// Whole sequences: as many queries as keys.
#include "cases/attention_case.hpp"
#include "cases/topics.hpp"

namespace heed::bench {
namespace {

[[nodiscard]] AttentionShape square(std::uint32_t rows, std::uint32_t head_dim) {
  return {.queries = rows, .keys = rows, .head_dim = head_dim};
}

[[nodiscard]] std::string name_of(const char* topic, const AttentionShape& shape) {
  return std::string(topic) + "/d:" + std::to_string(shape.head_dim) + "/n:" + std::to_string(shape.queries);
}

void add_case(const std::string& name, const AttentionShape& shape) {
  add_benchmark(name, {.flop = work_of(shape).flop}, [name, shape] {
    const auto measured = std::make_shared<AttentionCase>(shape);
    measured->run();
    measured->check(name);
    return Subject{
        .call = [measured] { measured->run(); },
        .count_more =
            [measured](benchmark::State& state) { state.counters["scratch_kib"] = measured->scratch_bytes() / 1024; }};
  });
}

/// A size that is no multiple of anything, beside the nearest one that is a power of two.
void add_odd_case(const AttentionShape& odd, const AttentionShape& round) {
  const std::string name = name_of("odd", odd);
  add_benchmark(name, {.flop = work_of(odd).flop}, [=] {
    const auto measured = std::make_shared<AttentionCase>(odd);
    const auto beside = std::make_shared<AttentionCase>(round);
    measured->run();
    measured->check(name);
    return Subject{.call = [measured] { measured->run(); },
                   .beside = {.counter = "relative_time",
                              .call = [beside] { beside->run(); },
                              .work_ratio = work_of(odd).flop / work_of(round).flop}};
  });
}

}  // namespace

void add_prefill() {
  for (const std::uint32_t head_dim : {32U, 64U, 128U}) {
    for (const std::uint32_t rows : {64U, 128U, 256U, 512U, 1024U, 2048U, 4096U}) {
      AttentionShape shape = square(rows, head_dim);
      add_case(name_of("prefill", shape), shape);
      shape.causal = Causal::top_left;
      add_case(name_of("causal", shape), shape);
    }
  }
  add_odd_case(square(99, 64), square(128, 64));
  add_odd_case(square(197, 64), square(256, 64));
  add_odd_case(square(577, 64), square(512, 64));
  add_odd_case(square(512, 40), square(512, 32));
  add_odd_case(square(512, 80), square(512, 64));
  add_odd_case(square(512, 96), square(512, 128));
  AttentionShape misaligned = square(512, 64);
  misaligned.misalignment = 4;
  add_case("misaligned/d:64/n:512", misaligned);
}

}  // namespace heed::bench
