// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t shapes = 320;
constexpr std::byte guard{0x5A};

struct Case {
  AttentionConfig config{};
  AttentionInputs inputs{};
  AttentionOutputs outputs{};
  std::uint32_t lengths[2] = {};
  std::span<float> query, key, value, output, scores, log_sum_exp;
};

/// Every tenth shape has more keys than a block, and several blocks are merged.
void choose_shape(Numbers& random, std::uint32_t number, Case& c) {
  const bool is_long = number % 10 == 0;
  AttentionConfig& config = c.config;
  config.kv_heads = is_long ? 1 : random.between(1, 2);
  config.heads = config.kv_heads * random.between(1, 3);
  config.head_dim = is_long ? random.between(1, 10) : random.between(1, 40);
  config.value_dim = is_long ? random.between(1, 10) : random.between(1, 40);
  AttentionInputs& in = c.inputs;
  in.batch = is_long ? 1 : random.between(1, 2);
  in.query_count = is_long ? random.between(1, 6) : random.between(1, 20);
  in.key_count = is_long ? random.between(200, 600) : random.between(1, 40);
  in.causal = static_cast<Causal>(number % 4);
  in.causal_offset = static_cast<std::int32_t>(random.between(0, 20)) - 4;
}

bool take_memory(Case& c) {
  const AttentionConfig& config = c.config;
  const AttentionInputs& in = c.inputs;
  Pool<float> pool(numbers);
  const std::size_t rows = std::size_t{in.batch} * config.heads * in.query_count;
  const std::size_t keys = std::size_t{in.batch} * config.kv_heads * in.key_count;
  c.query = pool.take(rows * config.head_dim);
  c.key = pool.take(keys * config.head_dim);
  c.value = pool.take(keys * config.value_dim);
  c.output = pool.take(rows * config.value_dim);
  c.scores = pool.take(rows * in.key_count);
  c.log_sum_exp = pool.take(rows);
  return !c.query.empty() && !c.key.empty() && !c.value.empty() && !c.output.empty() && !c.scores.empty() &&
         !c.log_sum_exp.empty();
}

bool make_case(std::uint32_t number, float spread, Case& c) {
  Numbers random(number);
  choose_shape(random, number, c);
  if (!take_memory(c)) return false;
  random.fill(c.query, spread);
  random.fill(c.key, 2.0F);
  random.fill(c.value, 2.0F);
  AttentionInputs& in = c.inputs;
  in.query = bhsd<const float>(c.query.data(), c.config.heads, in.query_count, c.config.head_dim);
  in.key = bhsd<const float>(c.key.data(), c.config.kv_heads, in.key_count, c.config.head_dim);
  in.value = bhsd<const float>(c.value.data(), c.config.kv_heads, in.key_count, c.config.value_dim);
  if (number % 3 == 0) {
    for (std::uint32_t& length : c.lengths) length = random.between(0, in.key_count);
    in.key_lengths = c.lengths;
  }
  AttentionOutputs& out = c.outputs;
  out.output = bhsd(c.output.data(), c.config.heads, in.query_count, c.config.value_dim);
  out.scores = bhsd(c.scores.data(), c.config.heads, in.query_count, in.key_count);
  out.score_stage = score_stages[number / 4 % 4];
  out.log_sum_exp = c.log_sum_exp.data();
  return true;
}

/// Runs in exactly plan.bytes of memory between guard bytes, after one byte less was refused.
bool run_guarded(const Case& c, const AttentionInputs& inputs) {
  AttentionPlan plan;
  if (make_plan(c.config, plan) != Status::ok) return false;
  if (plan.bytes + 2 * arena_alignment > sizeof first_memory) return false;
  const auto whole = std::span(first_memory).first(plan.bytes + 2 * arena_alignment);
  for (std::byte& byte : whole) byte = guard;
  const auto arena = whole.subspan(arena_alignment, plan.bytes);
  if (attend(plan, arena.first(plan.bytes - 1), inputs, c.outputs) != Status::arena_too_small) return false;
  for (const std::byte byte : arena) {
    if (byte != guard) return false;
  }
  if (attend(plan, arena, inputs, c.outputs) != Status::ok) return false;
  for (std::size_t i = 0; i < arena_alignment; ++i) {
    if (whole[i] != guard || whole[whole.size() - 1 - i] != guard) return false;
  }
  return true;
}

/// The same keys and values from a cache, appended in two parts.
bool fill_cache(const Case& c, KvCache& cache) {
  const AttentionInputs& in = c.inputs;
  static KvCachePlan plan;
  const KvCacheConfig config{in.batch, c.config.kv_heads, c.config.head_dim, c.config.value_dim, in.key_count};
  if (make_plan(config, plan) != Status::ok || plan.bytes > sizeof second_memory) return false;
  if (cache.init(plan, std::span(second_memory).first(plan.bytes)) != Status::ok) return false;
  for (std::uint32_t b = 0; b < in.batch; ++b) {
    const std::uint32_t first = in.key_count / 3;
    ConstTensor key = in.key;
    ConstTensor value = in.value;
    key.data = in.key.row(b, 0, 0);
    value.data = in.value.row(b, 0, 0);
    if (first != 0 && cache.append(b, first, key, value) != Status::ok) return false;
    key.data = in.key.row(b, 0, first);
    value.data = in.value.row(b, 0, first);
    if (cache.append(b, in.key_count - first, key, value) != Status::ok) return false;
  }
  return true;
}

std::uint64_t hash_of(const Case& c) {
  Hash hash;
  hash.add(c.output);
  hash.add(c.scores);
  hash.add(c.log_sum_exp);
  return hash.value();
}

}  // namespace

Outcome check_attention(float spread) {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < shapes; ++number) {
    Case c;
    c.config.scratch_budget = number % 2 == 0 ? 16 * 1024 : 0;
    KvCache cache;
    if (!make_case(number, spread, c) || !run_guarded(c, c.inputs) || !fill_cache(c, cache)) {
      ++outcome.failures;
      continue;
    }
    all.add(c.output);
    all.add(c.scores);
    all.add(c.log_sum_exp);
    const std::uint64_t expected = hash_of(c);
    AttentionInputs from_cache = c.inputs;
    from_cache.cache = &cache;
    from_cache.key = {};
    from_cache.value = {};
    c.config.scratch_budget = 1;
    for (float& value : c.output) value = 0.0F;
    if (!run_guarded(c, from_cache) || hash_of(c) != expected) ++outcome.failures;
    ++outcome.cases;
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
