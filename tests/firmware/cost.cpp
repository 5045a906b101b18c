// SPDX-License-Identifier: MIT
#include <board.h>

#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t rows = 64;
constexpr std::uint32_t dim = 32;
constexpr AttentionPlan attention = plan(AttentionConfig{.head_dim = dim, .max_keys = rows, .scratch_budget = 16384});
constexpr KvCachePlan cached = plan(KvCacheConfig{.head_dim = dim, .max_keys = rows});

StaticArena<attention.bytes> scratch;
StaticArena<cached.bytes> cache_memory;
float query[rows * dim], key[rows * dim], value[rows * dim], output[rows * dim];

}  // namespace

Cost measure_cost() {
  Numbers random(1);
  random.fill(query, 1.0F);
  random.fill(key, 1.0F);
  random.fill(value, 1.0F);
  AttentionInputs in;
  in.query_count = rows;
  in.key_count = rows;
  in.query = bhsd<const float>(query, 1, rows, dim);
  in.key = bhsd<const float>(key, 1, rows, dim);
  in.value = bhsd<const float>(value, 1, rows, dim);
  AttentionOutputs out;
  out.output = bhsd(output, 1, rows, dim);
  KvCache cache;
  if (cache.init(cached, cache_memory) != Status::ok || cache.append(0, rows, in.key, in.value) != Status::ok) {
    return {};
  }
  Cost cost;
  const std::uint64_t start = board_count();
  if (attend(attention, scratch, in, out) != Status::ok) return {};
  const std::uint64_t middle = board_count();
  in.query_count = 1;
  in.cache = &cache;
  if (attend(attention, scratch, in, out) != Status::ok) return {};
  cost.decode = board_count() - middle;
  cost.prefill = middle - start;
  return cost;
}

}  // namespace heed::test
