// SPDX-License-Identifier: MIT
#include <options/attend_with_score_mod.hpp>

#include "heed/heed.hpp"

namespace {

constexpr heed::AttentionPlan plan = heed::plan(heed::AttentionConfig{.head_dim = 2, .max_keys = 2});
heed::StaticArena<plan.bytes> arena;

/// Takes from the first key what the second scores less, so that the output is the mean of the values.
struct Level {
  float operator()(float score, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t key) const noexcept {
    return key == 0 ? score - 1.0F : score;
  }
};

}  // namespace

int main() {
  const float query[] = {1, 0};
  const float key[] = {3, 1, 2, -1};
  const float value[] = {1, 10, 2, 20};
  float output[2] = {};
  heed::AttentionInputs inputs;
  inputs.query_count = 1;
  inputs.key_count = 2;
  inputs.scale = 1.0F;
  inputs.query = heed::bhsd(query, 1, 1, 2);
  inputs.key = heed::bhsd(key, 1, 2, 2);
  inputs.value = heed::bhsd(value, 1, 2, 2);
  heed::AttentionOutputs outputs;
  outputs.output = heed::bhsd(output, 1, 1, 2);
  const heed::Status status = heed::attend_with_score_mod(plan, arena, inputs, {}, outputs, Level{});
  const auto near = [](float a, float b) { return a - b < 1e-5F && b - a < 1e-5F; };
  return status == heed::Status::ok && near(output[0], 1.5F) && near(output[1], 15.0F) ? 0 : 1;
}
