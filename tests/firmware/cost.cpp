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

LinearCost measure_linear_cost(DataType weights, DataType row_type, const Format* format, std::uint32_t row_count) {
  // As many outputs as the memory has room for.
  const std::uint32_t outputs = row_count != 1 || weights == DataType::float32 ? 64 : 256;
  LinearPlan plan;
  const LinearConfig config{.inputs = 256, .outputs = outputs, .type = weights, .bias = false, .row_type = row_type};
  if (make_plan(config, plan) != Status::ok) return {};
  // Zeros are as good as any: nothing looks at the numbers.
  const auto packed = std::span(first_memory).first(plan.bytes);
  for (std::byte& byte : packed) byte = std::byte{0};
  Pool<float> pool(numbers);
  const std::span<float> x = pool.take(std::size_t{row_count} * config.inputs);
  const std::span<float> y = pool.take(std::size_t{row_count} * config.outputs);
  Numbers random(1);
  random.fill(x, 1.0F);
  const std::uint64_t start = board_count();
  const Status status =
      linear(plan, {packed, format}, row_count, dense<const float>(x.data(), row_count, config.inputs),
             dense(y.data(), row_count, config.outputs), second_memory);
  if (status != Status::ok) return {};
  return {board_count() - start, row_count * config.inputs * config.outputs};
}

}  // namespace heed::test
