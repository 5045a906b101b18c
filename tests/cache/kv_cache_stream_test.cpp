// SPDX-License-Identifier: MIT
//
// Token streams over a KvCache: endless ones in a ring, also through a window, speculative tokens that are taken
// back, and snapshots.
#include <gtest/gtest.h>

#include "cache/ring_case.hpp"
#include "support/effort.hpp"
#include "support/reference.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t heads = 4;
constexpr std::uint32_t kv_heads = 2;
constexpr std::uint32_t head_dim = 16;
constexpr std::uint32_t slots = 256;
constexpr std::uint32_t kept = 4;

/// Keys and values of token t, [kv_heads, head_dim] each: made anew whenever they are wanted.
struct Token {
  std::vector<float> key, value;

  explicit Token(std::uint32_t t) {
    Random random(7000000 + t);
    key = random.normals(kv_heads * head_dim);
    value = random.normals(kv_heads * head_dim);
  }

  [[nodiscard]] Status append_to(KvCache& cache, std::uint32_t sequence = 0) const {
    return cache.append(sequence, 1, bhsd<const float>(key.data(), kv_heads, 1, head_dim),
                        bhsd<const float>(value.data(), kv_heads, 1, head_dim));
  }
};

/// A case over these tokens, in this order, as a cache of this kind would dequantize them.
AttentionCase case_of(const std::vector<std::uint32_t>& tokens, const StoredCase& stored, std::uint32_t queries) {
  const KvCacheConfig& config = stored.plan.config;
  Random random(tokens.back());
  AttentionCase c =
      random_case(random, {1, heads, kv_heads, queries, static_cast<std::uint32_t>(tokens.size()), head_dim, head_dim});
  for (std::uint32_t j = 0; j < tokens.size(); ++j) {
    const Token token(tokens[j]);
    for (std::uint32_t head = 0; head < kv_heads; ++head) {
      const auto key =
          stored_row(config.key_type, token.key.data() + head * head_dim, head_dim, stored.scales_of(head));
      const auto value = stored_row(config.value_type, token.value.data() + head * head_dim, head_dim);
      const std::size_t row = (head * tokens.size() + j) * head_dim;
      for (std::uint32_t d = 0; d < head_dim; ++d) {
        c.key[row + d] = key[d].dequantized;
        c.value[row + d] = value[d].dequantized;
      }
    }
  }
  return c;
}

Result run_stored(const AttentionCase& c, const KvCache& cache, std::uint32_t sequence = 0,
                  const AttentionOptions& options = {}) {
  Result result = run_by(c, {.max_keys = slots, .want_scores = true},
                         [&](const auto& plan, auto arena, auto in, const auto& out, const auto& executor) {
                           in.key = in.value = {};
                           in.key_count = 0;
                           in.sequence_ids = &sequence;
                           in.cache = &cache;
                           return attend(plan, arena, in, options, out, executor);
                         });
  EXPECT_EQ(result.status, Status::ok);
  return result;
}

/// The slots in order give the bits; the order of time gives the same numbers within the rounding.
void expect_ring(const StoredCase& stored, std::uint32_t tokens, std::uint32_t queries) {
  std::vector<std::uint32_t> by_slot, by_time;
  for (std::uint32_t slot = 0; slot < std::min(tokens, slots); ++slot) {
    const std::uint32_t round = slots - kept;
    by_slot.push_back(slot < kept || tokens <= slots ? slot : slot + (tokens - 1 - slot) / round * round);
  }
  by_time = by_slot;
  std::sort(by_time.begin(), by_time.end());
  ASSERT_EQ(by_time.back(), tokens - 1);
  const AttentionCase c = case_of(by_slot, stored, queries);
  const Result got = run_stored(c, stored.cache);
  ASSERT_EQ(got.status, Status::ok);
  ASSERT_NO_FATAL_FAILURE(expect_same(got, run(c, {.want_scores = true})));
  AttentionCase in_time = case_of(by_time, stored, queries);
  in_time.query = c.query;
  const Expected expected = reference_attention(in_time);
  ASSERT_NO_FATAL_FAILURE(expect_within(got.output, expected.output, expected.output_bound));
  ASSERT_NO_FATAL_FAILURE(expect_within(got.log_sum_exp, expected.log_sum_exp, expected.log_sum_exp_bound));
}

TEST(KvCacheStream, AHundredThousandTokensInARingOf256Slots) {
  KvCacheConfig config{1, kv_heads, head_dim, head_dim, slots, kept, DataType::int8, DataType::int4, 1};
  StoredCase stored(config);
  const AttentionPlan plan = plan_of({1, heads, kv_heads, 1, 1, head_dim, head_dim}, {.max_keys = slots});
  // All the memory there is: what does not fit it is refused, however long the stream.
  const AlignedMemory arena(plan.bytes);
  const std::vector<float> query = Random(1).normals(heads * head_dim);
  std::vector<float> output(heads * head_dim), weights(heads * slots);
  AttentionInputs in;
  in.query_count = 1;
  in.query = bhsd<const float>(query.data(), heads, 1, head_dim);
  in.causal = Causal::bottom_right;
  in.cache = &stored.cache;
  AttentionOutputs out;
  out.output = bhsd(output.data(), heads, 1, head_dim);
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t t = 1; t <= 100000 / std::min(divisor, 10U); ++t) {
    ASSERT_EQ(Token(t - 1).append_to(stored.cache), Status::ok);
    ASSERT_EQ(stored.cache.length(0), std::min(t, slots));
    if (t % divisor == 0) {
      ASSERT_EQ(attend(plan, arena.span(), in, out), Status::ok);
    }
    if (t % 997 != 0 && t != slots && t != slots + 1) continue;
    SCOPED_TRACE(t);
    // The scores that a call writes are its work: one for each slot and head.
    const std::uint32_t keys = std::min(t, slots);
    weights.assign(heads * slots + 16, -7.0F);
    AttentionOutputs counted = out;
    counted.scores = bhsd(weights.data(), heads, 1, keys);
    ASSERT_EQ(attend(plan, arena.span(), in, counted), Status::ok);
    ASSERT_EQ(std::count(weights.begin(), weights.end(), -7.0F), heads * (slots - keys) + 16);
    ASSERT_NO_FATAL_FAILURE(expect_ring(stored, t, 1 + t % 3 * 7));
  }
  EXPECT_TRUE(stored.nothing_behind());
}

/// The newest tokens through a window, with slopes: as from a cache that has forgotten nothing.
void expect_window(const StoredCase& stored, std::uint32_t tokens, std::uint32_t queries,
                   const AttentionOptions& options) {
  const std::vector<std::uint32_t> by_slot =
      tokens < slots ? tokens_in_slots(tokens, tokens, 0) : tokens_in_slots(tokens, slots, kept);
  OptionsCase c;
  c.base = case_of(by_slot, stored, queries);
  c.base.causal = Causal::bottom_right;
  c.window_left = static_cast<std::int32_t>(options.left_window) - 1;
  c.slopes.assign(options.alibi_slopes, options.alibi_slopes + heads);
  c.key_positions = {by_slot};
  c.tokens = {tokens};
  const Result got = run_stored(c.base, stored.cache, 0, options);
  const OptionsExpected expected = reference_attention(c);
  ASSERT_NO_FATAL_FAILURE(expect_within(got.output, expected.output, expected.output_bound));
  ASSERT_NO_FATAL_FAILURE(expect_within(got.log_sum_exp, expected.log_sum_exp, expected.log_sum_exp_bound));
  constexpr int weights = static_cast<int>(ScoreStage::weights);
  ASSERT_NO_FATAL_FAILURE(expect_within(got.scores, expected.scores[weights], expected.score_bound[weights]));
}

TEST(KvCacheStream, TenThousandTokensThroughAWindowWithSlopes) {
  constexpr float slopes[heads] = {0.5F, 0.25F, 0.0625F, -0.01F};
  AttentionOptions options;
  options.left_window = 100;
  options.alibi_slopes = slopes;
  const KvCacheConfig config{1, kv_heads, head_dim, head_dim, slots, kept, DataType::int8, DataType::float16, 1};
  StoredCase stored(config, storage_of(config, kv_ring_with_positions));
  const AttentionPlan plan = plan_of({1, heads, kv_heads, 1, 1, head_dim, head_dim}, {.max_keys = slots});
  const AlignedMemory arena(plan.bytes);
  const std::vector<float> query = Random(1).normals(heads * head_dim);
  std::vector<float> output(heads * head_dim);
  AttentionInputs in;
  in.query_count = 1;
  in.query = bhsd<const float>(query.data(), heads, 1, head_dim);
  in.causal = Causal::bottom_right;
  in.cache = &stored.cache;
  AttentionOutputs out;
  out.output = bhsd(output.data(), heads, 1, head_dim);
  const std::uint32_t tokens = 10000 / std::min(case_divisor(), 4U);
  for (std::uint32_t t = 1; t <= tokens; ++t) {
    ASSERT_EQ(Token(t - 1).append_to(stored.cache), Status::ok);
    ASSERT_EQ(attend(plan, arena.span(), in, options, out), Status::ok);
    if (t % 97 != 0 && t != slots && t != slots + 1) continue;
    SCOPED_TRACE(t);
    ASSERT_NO_FATAL_FAILURE(expect_window(stored, t, 1, options));
    ASSERT_NO_FATAL_FAILURE(expect_window(stored, t, 2 + t % 14, options));
  }
  EXPECT_TRUE(stored.nothing_behind());
}

/// Tokens first..end of the stream, and attention over them all after each.
std::vector<float> decode(StoredCase& stored, std::uint32_t first, std::uint32_t end) {
  std::vector<float> outputs;
  Random random(first);
  for (std::uint32_t t = first; t < end; ++t) {
    EXPECT_EQ(Token(t).append_to(stored.cache), Status::ok);
    Random same(t);
    AttentionCase c = random_case(same, {1, heads, kv_heads, 1, stored.cache.length(0), head_dim, head_dim});
    c.key.assign(c.key.size(), std::numeric_limits<float>::quiet_NaN());
    const Result result = run_stored(c, stored.cache);
    EXPECT_EQ(result.status, Status::ok);
    outputs.insert(outputs.end(), result.output.begin(), result.output.end());
  }
  return outputs;
}

TEST(KvCacheStream, SpeculativeTokensTakenBackLeaveNoTrace) {
  for (const KvCacheConfig& storage : every_storage({.kv_heads = kv_heads, .head_dim = head_dim, .max_keys = slots})) {
    SCOPED_TRACE(name_of(storage));
    StoredCase straight(storage), speculating(storage);
    decode(straight, 0, 45);
    decode(speculating, 0, 45);
    for (const std::uint32_t wrong : {1U, 3U, 20U}) {
      for (std::uint32_t t = 0; t < wrong; ++t) ASSERT_EQ(Token(5000 + t).append_to(speculating.cache), Status::ok);
      ASSERT_EQ(speculating.cache.truncate(0, straight.cache.tokens(0)), Status::ok);
      const std::uint32_t first = straight.cache.tokens(0);
      ASSERT_TRUE(same_bits(decode(speculating, first, first + 7), decode(straight, first, first + 7))) << wrong;
    }
  }
}

TEST(KvCacheStream, ASnapshotIsACopyOfBytes) {
  for (KvCacheConfig storage : every_storage({.kv_heads = kv_heads, .head_dim = head_dim, .max_keys = 40})) {
    storage.ring = true;
    storage.sink_tokens = 3;
    SCOPED_TRACE(name_of(storage));
    StoredCase original(storage);
    decode(original, 0, 70);
    StoredCase restored(storage);
    decode(restored, 900, 920);
    const std::span<const std::byte> from{original.cache.memory(), original.plan.bytes};
    std::memcpy(restored.memory.span().data(), from.data(), from.size());
    ASSERT_EQ(restored.cache.bind(restored.plan, restored.memory.span().first(from.size()), restored.storage),
              Status::ok);
    ASSERT_EQ(restored.cache.tokens(0), 70U);
    ASSERT_TRUE(same_bits(decode(restored, 70, 110), decode(original, 70, 110)));
    ASSERT_EQ(std::memcmp(restored.cache.memory(), original.cache.memory(), from.size()), 0);
  }
}

}  // namespace
}  // namespace heed::test
