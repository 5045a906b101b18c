// SPDX-License-Identifier: MIT
//
// No buffer of attend() with options, of a cache that it reads, or of merge() is touched outside its bounds, and
// where a buffer lies does not change a bit.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "guard/guarded_options.hpp"
#include "options/options_random.hpp"
#include "support/effort.hpp"
#include "support/storage.hpp"

namespace heed::test {
namespace {

constexpr std::size_t plenty = std::size_t{8} << 20;

enum class Source : std::uint8_t { tensors, cache, ring, pages };

/// The last of keys alone.
constexpr DataType stored_types[] = {DataType::float32, DataType::float16, DataType::bfloat16,
                                     DataType::int8,    DataType::int4,    DataType::int8_channels};

class GuardedAttendWithOptions : public testing::Test {
 protected:
  ConstTensor place(const GuardedMemory& to, const std::vector<float>& from, std::uint32_t heads, std::uint32_t rows,
                    std::uint32_t dim, Edge edge) {
    return bhsd(guarded_copy(to, from, edge), heads, rows, dim);
  }

  /// Sequences, rings that have come round once, or pages of 16 keys, whose numbers lie against a forbidden page as
  /// well.
  void fill_cache(AttentionInputs& in, const AttentionShape& s, KvCacheConfig config, Source source, Edge edge) {
    const bool paged = source == Source::pages;
    const std::uint32_t columns = paged ? std::max((s.keys + 15) / 16, 1U) : 1;
    config.max_sequences = s.batch * columns;
    config.max_keys = paged ? 16 : std::max(s.keys, 1U);
    config.ring = source == Source::ring;
    ASSERT_EQ(make_plan(config, cache_plan_), Status::ok);
    KvStorage storage = storage_of(config, kv_ring_with_positions);
    if (paged) storage.pages = &kv_pages;
    ASSERT_EQ(cache_.init(cache_plan_, cache_memory_.place(cache_plan_.bytes, edge), storage), Status::ok);
    const std::vector<float> scales(std::size_t{s.kv_heads} * s.head_dim, 0.03F);
    if (config.key_type == DataType::int8_channels) {
      ASSERT_EQ(cache_.set_key_scales(scales), Status::ok);
    }
    std::vector<std::uint32_t> pages;
    for (std::uint32_t b = 0; b < s.batch; ++b) {
      for (std::uint32_t p = 0; p < columns; ++p) {
        const std::uint32_t sequence = paged ? config.max_sequences - 1 - (b * columns + p) : b;
        const std::uint32_t first = p * 16;
        ConstTensor key = in.key, value = in.value;
        key.data = key.row(b, 0, first);
        value.data = value.row(b, 0, first);
        for (std::uint32_t rounds = source == Source::ring ? 2 : 1; rounds > 0; --rounds) {
          ASSERT_EQ(cache_.append(sequence, paged ? std::min(s.keys - first, 16U) : s.keys, key, value), Status::ok);
        }
        pages.push_back(sequence);
      }
    }
    in.cache = &cache_;
    in.key = in.value = {};
    if (!paged) return;
    in.page_table = guarded_copy(pages_, pages, edge);
    in.max_pages = columns;
  }

  Result run_guarded(const OptionsCase& c, const OptionsManner& manner, const KvCacheConfig& types, Source source,
                     Edge edge) {
    const AttentionShape& s = c.base.shape;
    const AttentionPlan plan = plan_of(s, manner.base);
    AttentionInputs in;
    in.batch = s.batch;
    in.query_count = s.queries;
    in.key_count = s.keys;
    in.causal = c.base.causal;
    in.causal_offset = c.base.offset;
    in.scale = c.base.scale;
    in.key_lengths = guarded_copy(lengths_, c.base.lengths, edge);
    in.query = place(query_, c.base.query, s.heads, s.queries, s.head_dim, edge);
    in.key = place(key_, c.base.key, s.kv_heads, s.keys, s.head_dim, edge);
    in.value = place(value_, c.base.value, s.kv_heads, s.keys, s.value_dim, edge);
    if (source != Source::tensors) fill_cache(in, s, types, source, edge);
    const std::size_t rows = std::size_t{s.batch} * s.heads * s.queries;
    const std::span<float> output = output_.floats(rows * s.value_dim, edge);
    const std::span<float> scores = scores_.floats(rows * s.keys, edge);
    const std::span<float> log_sum_exp = log_sum_exp_.floats(rows, edge);
    std::fill(scores.begin(), scores.end(), -7.0F);
    AttentionOutputs out;
    out.output = bhsd(output.data(), s.heads, s.queries, s.value_dim);
    out.scores = bhsd(scores.data(), s.heads, s.queries, s.keys);
    out.score_stage = manner.base.stage;
    out.log_sum_exp = log_sum_exp.data();
    const LaidOutOptions laid_out(c, manner);
    const AttentionOptions options = arrays_.place(c, laid_out, edge);
    const std::span<std::byte> arena = arena_.place(plan.bytes, edge);
    const Status status = attend(plan, arena, in, options, out);
    return {status,
            {output.begin(), output.end()},
            {scores.begin(), scores.end()},
            {log_sum_exp.begin(), log_sum_exp.end()}};
  }

  GuardedMemory query_{plenty}, key_{plenty}, value_{plenty}, lengths_{64}, pages_{4096}, output_{plenty};
  GuardedMemory scores_{plenty}, log_sum_exp_{plenty}, arena_{plenty}, cache_memory_{plenty};
  GuardedOptionArrays arrays_;
  KvCachePlan cache_plan_;
  KvCache cache_;
  FaultReport report_;
};

TEST_F(GuardedAttendWithOptions, StaysInsideItsBuffers) {
  const std::uint32_t divisor = case_divisor();
  int cases = 0;
  for (std::uint32_t number = 0; number < 1500; number += divisor) {
    Random random(40000 + number);
    OptionsCase c = any_options(random, any_size(random));
    const AttentionShape& s = c.base.shape;
    const OptionsManner manner = any_options_manner(random, s);
    const auto source = static_cast<Source>(number % 4);
    if (source == Source::pages && c.base.lengths.empty()) c.base.lengths.assign(s.batch, s.keys);
    // Every other cache is one of floats.
    KvCacheConfig types{.kv_heads = s.kv_heads, .head_dim = s.head_dim, .value_dim = s.value_dim};
    const bool floats = number % 8 < 4;
    if (!floats) {
      types.key_type = stored_types[random.between(0, 5)];
      types.value_type = stored_types[random.between(0, 4)];
    }
    if (source >= Source::ring && s.keys == 0) continue;
    if (source != Source::tensors && s.value_dim > 16 * s.head_dim) continue;
    report_.running("%u, source %u: %.200s", number, static_cast<unsigned>(source), describe(c).c_str());
    const Result front = run_guarded(c, manner, types, source, Edge::front);
    const Result back = run_guarded(c, manner, types, source, Edge::back);
    ASSERT_EQ(front.status, Status::ok) << describe(c);
    ASSERT_EQ(back.status, Status::ok) << describe(c);
    ASSERT_TRUE(same_bits(front.output, back.output) && same_bits(front.scores, back.scores) &&
                same_bits(front.log_sum_exp, back.log_sum_exp))
        << number << ": " << describe(c);
    if (source == Source::tensors || (source == Source::cache && floats)) {
      ASSERT_TRUE(same_bits(front.output, run(c, manner).output)) << describe(c);
    }
    ++cases;
  }
  std::printf("%d cases, each at both edges\n", cases);
}

TEST(GuardedMerge, StaysInsideItsBuffers) {
  FaultReport report;
  const GuardedMemory outputs[3] = {GuardedMemory(plenty), GuardedMemory(plenty), GuardedMemory(plenty)};
  const GuardedMemory sums[3] = {GuardedMemory(plenty), GuardedMemory(plenty), GuardedMemory(plenty)};
  Random random(77);
  for (const std::uint32_t dim : {1U, 3U, 15U, 16U, 17U, 33U, 64U}) {
    for (const std::uint32_t rows : {1U, 2U, 15U, 17U}) {
      report.running("merge, value_dim %u, %u queries", dim, rows);
      const std::size_t count = std::size_t{2} * 3 * rows;
      const std::vector<float> values[2] = {random.normals(count * dim), random.normals(count * dim)};
      const std::vector<float> exponents[2] = {random.normals(count), random.normals(count)};
      std::vector<float> at_front;
      for (const Edge edge : {Edge::front, Edge::back}) {
        PartialAttention parts[2];
        for (std::size_t i = 0; i < 2; ++i) {
          parts[i] = {bhsd(guarded_copy(outputs[i], values[i], edge), 3, rows, dim),
                      guarded_copy(sums[i], exponents[i], edge)};
        }
        const std::span<float> to = outputs[2].floats(count * dim, edge);
        const std::span<float> sum = sums[2].floats(count, edge);
        ASSERT_EQ(merge(2, 3, rows, dim, parts, bhsd(to.data(), 3, rows, dim), sum.data()), Status::ok);
        std::vector<float> written(to.begin(), to.end());
        written.insert(written.end(), sum.begin(), sum.end());
        if (edge == Edge::front) at_front = written;
        ASSERT_TRUE(same_bits(written, at_front));
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
