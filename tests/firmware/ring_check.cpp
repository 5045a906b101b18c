// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"
#include "support/storage.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t shapes = 60;
constexpr std::uint32_t reach = 5;

struct Case {
  AttentionConfig config{};
  KvCacheConfig ring{};
  AttentionInputs inputs{};
  AttentionOptions options{};
  AttentionOutputs outputs{};
  std::uint32_t tokens = 0;
  std::uint32_t prefix_length = 0;
  float slopes[4] = {};
  float relative[4 * (2 * reach + 1)] = {};
  std::span<float> output, scores, log_sum_exp;
};

/// More tokens than slots; every tenth ring is longer than a block of keys. Windows in two of three, ALiBi, relative
/// biases or both in two of three.
void choose(Numbers& random, std::uint32_t number, Case& c) {
  const std::uint32_t slots = number % 10 == 0 ? random.between(260, 300) : random.between(2, 60);
  c.config = {.heads = 2 * random.between(1, 2), .kv_heads = 2, .head_dim = random.between(4, 12)};
  c.config.value_dim = random.between(1, 12);
  c.config.scratch_budget = number % 2 == 0 ? 16 * 1024 : 0;
  c.ring = {1, 2, c.config.head_dim, c.config.value_dim, slots};
  c.ring.key_type = value_types[number % 5];
  c.ring.value_type = value_types[number / 5 % 5];
  c.ring.ring = true;
  c.ring.sink_tokens = random.between(0, slots < 20 ? slots - 1 : 19);
  c.tokens = slots + random.between(1, 2 * slots);
  c.inputs.query_count = random.between(1, 15);
  c.inputs.causal = static_cast<Causal>(number % 4);
  c.inputs.causal_offset = static_cast<std::int32_t>(random.between(0, c.tokens));
  c.prefix_length = random.between(0, c.tokens);
  if (number % 5 == 0) c.options.prefix_lengths = &c.prefix_length;
  if (number % 3 != 0) c.options.left_window = random.between(0, slots) + 1;
  if (number % 6 == 1) c.options.right_window = random.between(0, 10) + 1;
  random.fill(c.slopes, 0.5F);
  random.fill(c.relative, 2.0F);
  if (number % 3 != 1) c.options.alibi_slopes = c.slopes;
  if (number % 3 != 2) c.options.relative_bias = {c.relative, 2 * reach + 1, reach, reach};
}

/// The tokens of the stream one by one, made anew; false if there is no room.
bool fill(Numbers& random, const Case& c, Pool<float>& pool, KvCache& cache) {
  static KvCachePlan plan;
  if (make_plan(c.ring, plan) != Status::ok || plan.bytes > sizeof second_memory) return false;
  const auto memory = std::span(second_memory).first(plan.bytes);
  if (cache.init(plan, memory, storage_of(c.ring, kv_ring_with_positions)) != Status::ok) return false;
  const std::span<float> key = pool.take(std::size_t{2} * c.ring.head_dim);
  const std::span<float> value = pool.take(std::size_t{2} * c.ring.value_dim);
  if (key.empty() || value.empty()) return false;
  bool good = true;
  for (std::uint32_t t = 0; t < c.tokens; ++t) {
    random.fill(key, 2.0F);
    random.fill(value, 2.0F);
    good = cache.append(0, 1, bhsd<const float>(key.data(), 2, 1, c.ring.head_dim),
                        bhsd<const float>(value.data(), 2, 1, c.ring.value_dim)) == Status::ok &&
           good;
  }
  return good;
}

bool lay_out(Numbers& random, std::uint32_t number, Pool<float>& pool, Case& c) {
  const std::size_t rows = std::size_t{c.config.heads} * c.inputs.query_count;
  const std::span<float> query = pool.take(rows * c.config.head_dim);
  c.output = pool.take(rows * c.config.value_dim);
  c.scores = pool.take(rows * c.ring.max_keys);
  c.log_sum_exp = pool.take(rows);
  if (query.empty() || c.output.empty() || c.scores.empty() || c.log_sum_exp.empty()) return false;
  random.fill(query, 2.0F);
  c.inputs.query = bhsd<const float>(query.data(), c.config.heads, c.inputs.query_count, c.config.head_dim);
  c.outputs.output = bhsd(c.output.data(), c.config.heads, c.inputs.query_count, c.config.value_dim);
  c.outputs.scores = bhsd(c.scores.data(), c.config.heads, c.inputs.query_count, c.ring.max_keys);
  c.outputs.score_stage = score_stages[number / 4 % 4];
  c.outputs.log_sum_exp = c.log_sum_exp.data();
  return true;
}

/// 0 if the call is refused. 32-bit NEON and Helium have 0 for subnormal numbers, as weights can be: the hash takes
/// them as 0 everywhere.
std::uint64_t run(const Case& c, Hash& all) {
  AttentionPlan plan;
  if (make_plan(c.config, plan) != Status::ok || plan.bytes > sizeof first_memory) return 0;
  const auto arena = std::span(first_memory).first(plan.bytes);
  if (attend(plan, arena, c.inputs, c.options, c.outputs) != Status::ok) return 0;
  for (float& score : c.scores) {
    if (score > -0x1p-126F && score < 0x1p-126F) score = 0.0F;
  }
  Hash hash;
  for (Hash* to : {&hash, &all}) {
    to->add(c.output);
    to->add(c.scores);
    to->add(c.log_sum_exp);
  }
  return hash.value();
}

}  // namespace

Outcome check_rings() {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < shapes; ++number) {
    Numbers random(27000 + number);
    Pool<float> pool(numbers);
    Case c;
    KvCache cache;
    choose(random, number, c);
    c.inputs.cache = &cache;
    bool good = fill(random, c, pool, cache) && lay_out(random, number, pool, c);
    const std::uint64_t hash = good ? run(c, all) : 0;
    c.config.scratch_budget = 1;
    Hash apart;
    good = good && hash != 0 && run(c, apart) == hash;
    if (!good) ++outcome.failures;
    ++outcome.cases;
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
