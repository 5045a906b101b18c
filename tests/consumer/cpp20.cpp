// SPDX-License-Identifier: MIT
#include <cstdio>

#include "heed/heed.hpp"

constexpr heed::AttentionPlan plan = heed::plan(heed::AttentionConfig{.head_dim = 2, .max_keys = 2});
static heed::StaticArena<plan.bytes> arena;

int main() {
  const float query[] = {1, 0};
  const float key[] = {3, 1, 3, -1};  // both score the same, so the output is the mean of the values
  const float value[] = {1, 10, 2, 20};
  float output[2] = {};
  heed::AttentionInputs in;
  in.query_count = 1;
  in.key_count = 2;
  in.query = heed::bhsd(query, 1, 1, 2);
  in.key = heed::bhsd(key, 1, 2, 2);
  in.value = heed::bhsd(value, 1, 2, 2);
  const heed::Status status = heed::attend(plan, arena, in, {.output = heed::bhsd(output, 1, 1, 2)});
  std::printf("%s: %g %g\n", heed::to_string(status), output[0], output[1]);
  return status == heed::Status::ok && output[0] == 1.5F && output[1] == 15.0F ? 0 : 1;
}
