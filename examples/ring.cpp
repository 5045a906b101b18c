// SPDX-License-Identifier: MIT
//
// An endless stream in bounded memory: keys and values of the last 64 tokens as int8, in a ring whose oldest is
// overwritten. All keys are alike here and the values count the tokens, so that the output is the mean of 936 to 999.
//
// Prints 967.5
#include <algorithm>
#include <cstdio>

#include "heed/heed.hpp"

constexpr heed::KvCachePlan cache_plan = heed::plan(heed::KvCacheConfig{
    .head_dim = 16, .max_keys = 64, .key_type = heed::DataType::int8, .value_type = heed::DataType::int8, .ring = 1});
constexpr heed::AttentionPlan plan = heed::plan(heed::AttentionConfig{.head_dim = 16, .max_keys = 64});
static heed::StaticArena<cache_plan.bytes> memory;  // outlives a call; a copy of its bytes is a snapshot
static heed::StaticArena<plan.bytes> scratch;       // free between calls

int main() {
  heed::KvCache cache;
  heed::Status status = cache.init(cache_plan, memory, {.formats = {&heed::int8_cache}, .ring = &heed::kv_ring});
  float query[16], key[16], value[16], output[16];
  std::fill_n(query, 16, 1.0F);
  std::fill_n(key, 16, 1.0F);
  for (int token = 0; status == heed::Status::ok && token < 1000; ++token) {
    std::fill_n(value, 16, static_cast<float>(token));
    status = cache.append(0, 1, heed::bhsd<const float>(key, 1, 1, 16), heed::bhsd<const float>(value, 1, 1, 16));
    if (status != heed::Status::ok) break;
    heed::AttentionInputs in{.batch = 1, .query_count = 1, .query = heed::bhsd<const float>(query, 1, 1, 16)};
    in.cache = &cache;
    in.key_count = cache.length(0);
    status = heed::attend(plan, scratch, in, {.output = heed::bhsd(output, 1, 1, 16)});
  }
  if (status == heed::Status::ok) std::printf("%.1f\n", output[0]);
  return status == heed::Status::ok ? 0 : 1;
}
