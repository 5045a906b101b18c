// SPDX-License-Identifier: MIT
#include <cstddef>
#include <limits>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"
#include "support/storage.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t shapes = 100;
constexpr std::uint32_t page_keys = 16;
constexpr std::uint32_t most_pages = 26;
constexpr std::uint32_t reach = 5;

struct Case {
  AttentionConfig config{};
  AttentionInputs inputs{};
  AttentionOptions options{};
  AttentionOutputs outputs{};
  KvCacheConfig stored{};
  std::uint32_t key_lengths[2] = {};
  std::uint32_t query_lengths[2] = {};
  std::uint32_t prefix_lengths[2] = {};
  std::int32_t offsets[2] = {};
  std::uint32_t pages[2 * most_pages] = {};
  float slopes[6] = {};
  float sinks[6] = {};
  float relative[6 * (2 * reach + 1)] = {};
  float key_scales[2 * 24] = {};
  std::span<float> output, scores, log_sum_exp;
};

/// Every tenth shape has more keys than a block.
void choose_shape(Numbers& random, std::uint32_t number, Case& c) {
  const bool is_long = number % 10 == 0;
  AttentionConfig& config = c.config;
  config.kv_heads = is_long ? 1 : random.between(1, 2);
  config.heads = config.kv_heads * random.between(1, 3);
  config.head_dim = is_long ? random.between(4, 10) : random.between(4, 24);
  config.value_dim = is_long ? random.between(1, 10) : random.between(1, 24);
  config.scratch_budget = number % 2 == 0 ? 16 * 1024 : 0;
  AttentionInputs& in = c.inputs;
  in.batch = is_long ? 1 : random.between(1, 2);
  in.query_count = is_long ? random.between(1, 6) : random.between(1, 14);
  in.key_count = is_long ? random.between(257, 400) : random.between(1, 50);
  in.causal = static_cast<Causal>(number % 4);
  in.causal_offset = static_cast<std::int32_t>(random.between(0, in.key_count)) - 4;
  KvCacheConfig& stored = c.stored;
  stored = {in.batch, config.kv_heads, config.head_dim, config.value_dim, in.key_count};
  stored.key_type = value_types[number % 5];
  stored.value_type = value_types[number / 5 % 5];
  if (stored.key_type == DataType::int8 && random.between(0, 1) == 1) stored.key_type = DataType::int8_channels;
}

/// What does not depend on tensors: each with a chance of one half, ALiBi or relative positions in every second shape.
void choose_numbers(Numbers& random, std::uint32_t number, Case& c) {
  AttentionOptions& options = c.options;
  const auto chance = [&random] { return random.between(0, 1) == 1; };
  for (std::uint32_t b = 0; b < 2; ++b) {
    c.key_lengths[b] = random.between(0, 3) == 0 ? random.between(0, c.inputs.key_count) : c.inputs.key_count;
    c.query_lengths[b] = random.between(0, c.inputs.query_count);
    c.prefix_lengths[b] = random.between(0, c.inputs.key_count);
    c.offsets[b] = static_cast<std::int32_t>(random.between(0, c.inputs.key_count)) - 3;
  }
  c.inputs.key_lengths = c.key_lengths;
  if (random.between(0, 3) == 0) options.query_lengths = c.query_lengths;
  if (chance()) options.prefix_lengths = c.prefix_lengths;
  if (chance()) options.causal_offsets = c.offsets;
  if (chance()) options.left_window = random.between(0, 40) + 1;
  if (random.between(0, 3) == 0) options.right_window = random.between(0, 10) + 1;
  if (number % 3 != 0) options.softcap = static_cast<float>(random.between(1, 60)) * 0.5F;
  random.fill(c.slopes, 0.5F);
  random.fill(c.sinks, 4.0F);
  random.fill(c.relative, 2.0F);
  if (number % 4 < 2) options.alibi_slopes = c.slopes;
  if (number % 4 == 1 || number % 4 == 2) {
    options.relative_bias = {c.relative, chance() ? std::ptrdiff_t{2 * reach + 1} : 0, reach, reach};
  }
  if (number % 3 == 0) options.sink_logits = c.sinks;
  options.smooth_softmax = number % 6 == 1;
}

/// A bool mask for every row or one for all batch entries, in bytes or bits; a mask and a bias of one head each.
bool choose_masks(Numbers& random, std::uint32_t number, Pool<float>& pool, Case& c) {
  const AttentionInputs& in = c.inputs;
  const bool bits = number % 2 == 1;
  const std::uint32_t width = bits ? (in.key_count + 7) / 8 : in.key_count;
  const std::uint32_t rows = in.batch * c.config.heads * in.query_count;
  const std::span<float> room = pool.take((std::size_t{rows} * width + 3) / 4);
  const std::span<float> mask = pool.take(std::size_t{in.query_count} * in.key_count);
  const std::span<float> bias = pool.take(std::size_t{in.batch} * in.key_count);
  if (room.empty() || mask.empty() || bias.empty()) return false;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(room.data());
  for (std::size_t i = 0; i < room.size_bytes(); ++i) {
    bytes[i] = bits ? static_cast<std::uint8_t>(random.bits16()) : static_cast<std::uint8_t>(random.between(0, 3));
  }
  random.fill(mask, 4.0F);
  random.fill(bias, 2.0F);
  for (float& value : mask) {
    if (random.between(0, 4) == 0) value = -std::numeric_limits<float>::infinity();
  }
  const auto row = static_cast<std::ptrdiff_t>(width);
  const std::ptrdiff_t head = row * static_cast<std::ptrdiff_t>(in.query_count);
  const std::ptrdiff_t batch = number % 8 < 4 ? head * static_cast<std::ptrdiff_t>(c.config.heads) : 0;
  if (number % 5 < 3) {
    c.options.bool_mask = {bytes, batch, head, row, in.key_count, bits ? MaskFormat::bits : MaskFormat::bytes};
  }
  const auto keys = static_cast<std::ptrdiff_t>(in.key_count);
  if (number % 7 < 3) c.options.additive_mask = {{mask.data(), 0, 0, keys}, in.key_count};
  if (number % 7 > 3) c.options.pre_softcap_bias = {{bias.data(), keys, 0, 0}, in.key_count - in.key_count / 4};
  return true;
}

bool make_case(std::uint32_t number, Case& c) {
  Numbers random(11000 + number);
  choose_shape(random, number, c);
  choose_numbers(random, number, c);
  Pool<float> pool(numbers);
  if (!choose_masks(random, number, pool, c)) return false;
  const AttentionConfig& config = c.config;
  AttentionInputs& in = c.inputs;
  const std::size_t rows = std::size_t{in.batch} * config.heads * in.query_count;
  const std::size_t keys = std::size_t{in.batch} * config.kv_heads * in.key_count;
  const std::span<float> query = pool.take(rows * config.head_dim);
  const std::span<float> key = pool.take(keys * config.head_dim);
  const std::span<float> value = pool.take(keys * config.value_dim);
  c.output = pool.take(rows * config.value_dim);
  c.scores = pool.take(rows * in.key_count);
  c.log_sum_exp = pool.take(rows);
  if (query.empty() || key.empty() || value.empty() || c.output.empty() || c.scores.empty() || c.log_sum_exp.empty()) {
    return false;
  }
  random.fill(query, 2.0F);
  random.fill(key, 2.0F);
  random.fill(value, 2.0F);
  for (float& scale : c.key_scales) scale = 2.0F / 127.0F;
  in.query = bhsd<const float>(query.data(), config.heads, in.query_count, config.head_dim);
  in.key = bhsd<const float>(key.data(), config.kv_heads, in.key_count, config.head_dim);
  in.value = bhsd<const float>(value.data(), config.kv_heads, in.key_count, config.value_dim);
  c.outputs.output = bhsd(c.output.data(), config.heads, in.query_count, config.value_dim);
  c.outputs.scores = bhsd(c.scores.data(), config.heads, in.query_count, in.key_count);
  c.outputs.score_stage = score_stages[number / 4 % 4];
  c.outputs.log_sum_exp = c.log_sum_exp.data();
  return true;
}

bool append(const Case& c, std::uint32_t sequence, std::uint32_t batch, std::uint32_t first, std::uint32_t tokens,
            KvCache& cache) {
  ConstTensor key = c.inputs.key;
  ConstTensor value = c.inputs.value;
  key.data = key.row(batch, 0, first);
  value.data = value.row(batch, 0, first);
  return cache.append(sequence, tokens, key, value) == Status::ok;
}

/// Each batch entry in a sequence of its own, or in pages, the last of them first; the inputs are those over it.
bool fill_cache(Case& c, bool paged, KvCache& cache) {
  AttentionInputs& in = c.inputs;
  const std::uint32_t columns = (in.key_count + page_keys - 1) / page_keys;
  KvCacheConfig config = c.stored;
  if (paged) {
    config.max_sequences = in.batch * columns;
    config.max_keys = page_keys;
  }
  static KvCachePlan plan;
  if (columns > most_pages || make_plan(config, plan) != Status::ok || plan.bytes > sizeof second_memory) return false;
  KvStorage storage = storage_of(config);
  if (paged) storage.pages = &kv_pages;
  if (cache.init(plan, std::span(second_memory).first(plan.bytes), storage) != Status::ok) return false;
  const std::span<const float> scales(c.key_scales, std::size_t{config.kv_heads} * config.head_dim);
  if (config.key_type == DataType::int8_channels && cache.set_key_scales(scales) != Status::ok) return false;
  in.cache = &cache;
  in.page_table = paged ? c.pages : nullptr;
  in.max_pages = columns;
  bool good = true;
  for (std::uint32_t b = 0; b < in.batch; ++b) {
    if (!paged) good = append(c, b, b, 0, in.key_count, cache) && good;
    for (std::uint32_t p = 0; paged && p < columns; ++p) {
      const std::uint32_t left = in.key_count - p * page_keys;
      const std::uint32_t page = config.max_sequences - 1 - (b * columns + p);
      c.pages[b * columns + p] = page;
      good = append(c, page, b, p * page_keys, left < page_keys ? left : page_keys, cache) && good;
    }
  }
  return good;
}

/// 32-bit NEON and Helium have 0 for subnormal numbers, as weights can be: the hash takes them as 0 everywhere.
void add(const Case& c, Hash& hash) {
  for (float& score : c.scores) {
    if (score > -0x1p-126F && score < 0x1p-126F) score = 0.0F;
  }
  hash.add(c.output);
  hash.add(c.scores);
  hash.add(c.log_sum_exp);
}

/// Without the scores: those of keys that do not exist are written where a sequence holds them, and pages do not.
std::uint64_t hash_of(const Case& c) {
  Hash hash;
  hash.add(c.output);
  hash.add(c.log_sum_exp);
  return hash.value();
}

/// attend(); 0 if it is refused.
std::uint64_t run(const Case& c) {
  for (float& value : c.output) value = -7.0F;
  for (float& score : c.scores) score = -7.0F;
  AttentionPlan plan;
  if (make_plan(c.config, plan) != Status::ok || plan.bytes > sizeof first_memory) return 0;
  const auto arena = std::span(first_memory).first(plan.bytes);
  return attend(plan, arena, c.inputs, c.options, c.outputs) == Status::ok ? hash_of(c) : 0;
}

}  // namespace

Outcome check_options(bool stored) {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < shapes; ++number) {
    Case c;
    KvCache cache;
    const bool made = make_case(number, c);
    const std::uint64_t from_tensors = made ? run(c) : 0;
    if (made && !stored) add(c, all);
    const bool filled = made && fill_cache(c, false, cache);
    const std::uint64_t from_sequences = filled ? run(c) : 0;
    if (filled && stored) add(c, all);
    const bool floats = c.stored.key_type == DataType::float32 && c.stored.value_type == DataType::float32;
    bool good = from_tensors != 0 && from_sequences != 0 && (!floats || from_sequences == from_tensors);
    if (stored && good) {
      c.config.scratch_budget = 1;
      good = fill_cache(c, true, cache) && run(c) == from_sequences;
    }
    if (!good) ++outcome.failures;
    ++outcome.cases;
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
