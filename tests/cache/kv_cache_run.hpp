// SPDX-License-Identifier: MIT
//
// An OptionsCase over a stored cache, the case of its dequantized floats, and its double-precision twin.
#pragma once

#include <memory>
#include <vector>

#include "cache/kv_cache_cases.hpp"
#include "options/options_random.hpp"
#include "options/options_reference.hpp"

namespace heed::test {

/// The rows [kv_heads, keys, dim] of one batch entry.
inline ConstTensor entry(const std::vector<float>& rows, const AttentionShape& s, std::uint32_t batch,
                         std::uint32_t dim) {
  const std::size_t first = std::size_t{batch} * s.kv_heads * s.keys * dim;
  return bhsd<const float>(rows.data() + first, s.kv_heads, s.keys, dim);
}

/// Whether a case over a ring does not depend on where its tokens lie: all masks are of slots.
inline bool sees_every_slot(const OptionsCase& c) {
  const bool hides =
      c.base.causal != Causal::none && (c.base.causal != Causal::bottom_right || c.base.shape.queries != 1);
  return !hides && c.window_left < 0 && c.window_right < 0 && c.slopes.empty() && c.relative.empty();
}

/// A cache with the keys and values of a case. Batch entry b lies in sequence `sequences[b]`, or in the pages that
/// `pages` says; its floats, by a plain look into its memory, are in `dequantized`. In a ring they are the last
/// of the tokens that the case has counted.
struct StoredRun {
  OptionsCase dequantized;
  StoredCase stored;
  std::vector<std::uint32_t> sequences, pages, lengths;
  std::uint32_t max_pages = 0;

  StoredRun(const OptionsCase& c, const KvCacheConfig& types, std::uint32_t page_keys = 0)
      : dequantized(c), stored(config_of(c.base.shape, types, page_keys), storage_for(c, types, page_keys)) {
    const AttentionShape& s = c.base.shape;
    for (std::uint32_t b = 0; b < s.batch; ++b) lengths.push_back(c.base.length(b));
    if (page_keys == 0) {
      for (std::uint32_t b = 0; b < s.batch; ++b) sequences.push_back(s.batch - b);
    } else {
      max_pages = columns_of(s, page_keys);
      for (std::uint32_t p = 0; p < s.batch * max_pages; ++p) pages.push_back(p);
      Random random(s.keys);
      for (std::uint32_t p = s.batch * max_pages; p > 1; --p) {
        std::swap(pages[p - 1], pages[random.between(0, p - 1)]);
      }
    }
    for (std::uint32_t b = 0; b < s.batch; ++b) fill(c, b);
    for (std::uint32_t b = 0; b < s.batch; ++b) dequantize(b);
  }

  /// Where key j of a batch entry lies: a sequence, and a slot of it.
  [[nodiscard]] std::uint32_t sequence_of(std::uint32_t b, std::uint32_t j) const {
    return pages.empty() ? sequences[b] : pages[std::size_t{b} * max_pages + j / stored.plan.config.max_keys];
  }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t j) const { return j % stored.plan.config.max_keys; }

  /// Values that are dequantized in the room of sixteen keys at least must fit it.
  [[nodiscard]] bool accepted(const OptionsManner& manner) const {
    const AttentionPlan plan = plan_of(dequantized.base.shape, manner.base);
    return stored.plan.config.value_type == DataType::float32 ||
           plan.staged_keys * plan.config.head_dim >= stored.plan.value_width;
  }

  /// attend() over the cache, with nothing else to take keys and values from; it must not be refused.
  [[nodiscard]] Result run(const OptionsManner& manner = {}) const {
    Result result = try_run(manner);
    EXPECT_EQ(result.status, Status::ok);
    return result;
  }

  /// The same, and it may be.
  [[nodiscard]] Result try_run(const OptionsManner& manner = {}) const {
    const LaidOutOptions laid_out(dequantized, manner);
    return run_by(dequantized.base, manner.base,
                  [&](const auto& plan, auto arena, auto in, const auto& out, const auto& executor) {
                    read_from_cache(in);
                    return attend(plan, arena, in, laid_out.options, out, executor);
                  });
  }

  /// Of the case without its options.
  [[nodiscard]] Result run_base(const Manner& manner) const {
    Result result = run_by(dequantized.base, manner,
                           [&](const auto& plan, auto arena, auto in, const auto& out, const auto& executor) {
                             read_from_cache(in);
                             return attend(plan, arena, in, out, executor);
                           });
    EXPECT_EQ(result.status, Status::ok);
    return result;
  }

 private:
  void read_from_cache(AttentionInputs& in) const {
    in.key = in.value = {};
    in.key_count = 0;
    in.cache = &stored.cache;
    if (pages.empty()) {
      in.sequence_ids = sequences.data();
    } else {
      in.key_lengths = lengths.data();
      in.page_table = pages.data();
      in.max_pages = max_pages;
    }
  }

  /// Pages, and a ring that knows positions, only for cases that need them. Pages are in the order of time.
  static KvStorage storage_for(const OptionsCase& c, const KvCacheConfig& types, std::uint32_t page_keys) {
    KvStorage storage = storage_of(types, page_keys != 0 || sees_every_slot(c) ? kv_ring : kv_ring_with_positions);
    if (page_keys != 0) storage.pages = &kv_pages;
    return storage;
  }

  static std::uint32_t columns_of(const AttentionShape& s, std::uint32_t page_keys) {
    return std::max((s.keys + page_keys - 1) / page_keys, 1U);
  }

  static KvCacheConfig config_of(const AttentionShape& s, KvCacheConfig storage, std::uint32_t page_keys) {
    storage.max_sequences = s.batch * (page_keys == 0 ? 1 : columns_of(s, page_keys)) + 1;
    storage.kv_heads = s.kv_heads;
    storage.head_dim = s.head_dim;
    storage.value_dim = s.value_dim;
    storage.max_keys = page_keys == 0 ? std::max(s.keys, 1U) : page_keys;
    return storage;
  }

  void fill(const OptionsCase& c, std::uint32_t b) {
    const AttentionShape& s = c.base.shape;
    const std::uint32_t page_keys = stored.plan.config.max_keys;
    if (!c.tokens.empty()) {
      fill_ring(c, b);
      return;
    }
    for (std::uint32_t first = 0; first < s.keys; first += page_keys) {
      ConstTensor key = entry(c.base.key, s, b, s.head_dim);
      ConstTensor value = entry(c.base.value, s, b, s.value_dim);
      key.data += std::size_t{first} * s.head_dim;
      value.data += std::size_t{first} * s.value_dim;
      ASSERT_EQ(stored.cache.append(sequence_of(b, first), std::min(page_keys, s.keys - first), key, value),
                Status::ok);
    }
  }

  /// Tokens that are to be overwritten have the numbers of some other key.
  void fill_ring(const OptionsCase& c, std::uint32_t b) {
    const AttentionShape& s = c.base.shape;
    std::vector<std::uint32_t> row_of_token(c.tokens[b]);
    for (std::uint32_t t = 0; t < c.tokens[b]; ++t) row_of_token[t] = t * 7 % s.keys;
    for (std::uint32_t slot = 0; slot < s.keys; ++slot) row_of_token[c.key_positions[b][slot]] = slot;
    for (const std::uint32_t row : row_of_token) {
      ConstTensor key = entry(c.base.key, s, b, s.head_dim);
      ConstTensor value = entry(c.base.value, s, b, s.value_dim);
      key.data += std::size_t{row} * s.head_dim;
      value.data += std::size_t{row} * s.value_dim;
      ASSERT_EQ(stored.cache.append(sequence_of(b, 0), 1, key, value), Status::ok);
    }
  }

  void dequantize(std::uint32_t b) {
    const AttentionShape& s = dequantized.base.shape;
    for (std::uint32_t head = 0; head < s.kv_heads; ++head) {
      for (std::uint32_t j = 0; j < s.keys; ++j) {
        const std::size_t row = (std::size_t{b} * s.kv_heads + head) * s.keys + j;
        for (std::uint32_t d = 0; d < s.head_dim; ++d) {
          dequantized.base.key[row * s.head_dim + d] =
              stored_key(stored.cache, sequence_of(b, j), head, slot_of(j), d).dequantized;
        }
        for (std::uint32_t d = 0; d < s.value_dim; ++d) {
          dequantized.base.value[row * s.value_dim + d] =
              stored_value(stored.cache, sequence_of(b, j), head, slot_of(j), d).dequantized;
        }
      }
    }
  }
};

/// A kind of storage by its number, 0..29.
inline KvCacheConfig storage_number(std::uint32_t number) {
  static const std::vector<KvCacheConfig> all = every_storage({.head_dim = 1, .max_keys = 1});
  return all[number % all.size()];
}

inline void expect_same(const Result& got, const Result& expected) {
  ASSERT_EQ(got.status, Status::ok);
  ASSERT_EQ(expected.status, Status::ok);
  ASSERT_TRUE(same_bits(got.output, expected.output));
  ASSERT_TRUE(same_bits(got.log_sum_exp, expected.log_sum_exp));
  ASSERT_TRUE(same_bits(got.scores, expected.scores));
}

inline void expect_within(const std::vector<float>& got, const std::vector<double>& expected,
                          const std::vector<double>& bound) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isinf(expected[i])) {
      ASSERT_EQ(double{got[i]}, expected[i]) << i;
    } else {
      ASSERT_LE(std::abs(double{got[i]} - expected[i]), bound[i]) << i;
    }
  }
}

/// Every number that attention over a cache gives lies within the rounding of its double-precision twin.
inline void expect_twin(const StoredRun& stored, const Result& got, ScoreStage stage) {
  const OptionsCase& c = stored.dequantized;
  const OptionsExpected expected = reference_attention(c);
  ASSERT_NO_FATAL_FAILURE(expect_within(got.output, expected.output, expected.output_bound));
  ASSERT_NO_FATAL_FAILURE(expect_within(got.log_sum_exp, expected.log_sum_exp, expected.log_sum_exp_bound));
  const int at = static_cast<int>(stage);
  ASSERT_NO_FATAL_FAILURE(expect_within(got.scores, expected.scores[at], expected.score_bound[at]));
  if (stage != ScoreStage::weights) return;
  const AttentionShape& s = c.base.shape;
  for (std::size_t e = 0; e < got.scores.size(); ++e) {
    const auto j = static_cast<std::uint32_t>(e % s.keys), i = static_cast<std::uint32_t>(e / s.keys % s.queries);
    const auto stream = static_cast<std::uint32_t>(e / s.keys / s.queries);
    if (c.seen(stream / s.heads, stream % s.heads, i, j)) continue;
    ASSERT_EQ(bits_of(got.scores[e]), 0U) << "the weight of what is not seen, " << e;
  }
}

/// What subnormal numbers are on a port that has 0 for them.
inline std::vector<float> without_subnormals(std::vector<float> values) {
  for (float& value : values) {
    if (std::abs(value) < std::numeric_limits<float>::min()) value = 0.0F;
  }
  return values;
}

}  // namespace heed::test
