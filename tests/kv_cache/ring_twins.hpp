// SPDX-License-Identifier: MIT
//
// What attention over a ring must agree with: its double-precision twin, and cases that say the same without a ring.
#pragma once

#include <algorithm>
#include <vector>

#include "kv_cache/ring_case.hpp"
#include "options/options_reference.hpp"

namespace heed::test {

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

/// Every number that attention over a ring gives lies within the rounding of its double-precision twin.
inline void expect_twin(const StoredRun& stored, const Result& got, ScoreStage stage) {
  const OptionsCase& c = stored.decoded;
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

/// The masks that count in tokens, as a bool mask of slots.
inline OptionsCase masked_by_slots(const OptionsCase& c) {
  const AttentionShape& s = c.base.shape;
  OptionsCase result = c;
  result.bool_mask = {s.batch, s.heads, s.queries, s.keys, {}};
  for (std::uint32_t stream = 0; stream < s.batch * s.heads; ++stream) {
    for (std::uint32_t i = 0; i < s.queries; ++i) {
      for (std::uint32_t j = 0; j < s.keys; ++j) {
        result.bool_mask.values.push_back(c.seen(stream / s.heads, stream % s.heads, i, j) ? 1 : 0);
      }
    }
  }
  result.base.causal = Causal::none;
  result.window_left = result.window_right = -1;
  result.query_lengths = result.prefix_lengths = {};
  result.key_positions = {};
  result.tokens = {};
  return result;
}

/// The tokens of a ring in the order of time, those that it has overwritten as masked zeros.
inline OptionsCase in_time(const OptionsCase& c) {
  OptionsCase result = c;
  AttentionShape& s = result.base.shape;
  const std::uint32_t slots = s.keys;
  s.keys = *std::max_element(c.tokens.begin(), c.tokens.end());
  result.base.lengths = c.tokens;
  result.bool_mask = {s.batch, 1, 1, s.keys, std::vector<std::uint8_t>(std::size_t{s.batch} * s.keys)};
  result.base.key.assign(std::size_t{s.batch} * s.kv_heads * s.keys * s.head_dim, 0.0F);
  result.base.value.assign(std::size_t{s.batch} * s.kv_heads * s.keys * s.value_dim, 0.0F);
  for (std::uint32_t stream = 0; stream < s.batch * s.kv_heads; ++stream) {
    const std::uint32_t b = stream / s.kv_heads;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const std::size_t from = std::size_t{stream} * slots + slot;
      const std::size_t to = std::size_t{stream} * s.keys + c.key_positions[b][slot];
      std::copy_n(&c.base.key[from * s.head_dim], s.head_dim, &result.base.key[to * s.head_dim]);
      std::copy_n(&c.base.value[from * s.value_dim], s.value_dim, &result.base.value[to * s.value_dim]);
      result.bool_mask.values[std::size_t{b} * s.keys + c.key_positions[b][slot]] = slot < c.base.length(b) ? 1 : 0;
    }
  }
  result.key_positions = {};
  result.tokens = {};
  return result;
}

/// A ring without sink tokens whose slots are in the order of time, with positions that count from its oldest token.
inline OptionsCase from_oldest_token(const OptionsCase& c) {
  OptionsCase result = c;
  result.offsets.clear();
  for (std::uint32_t b = 0; b < c.base.shape.batch; ++b) {
    const std::uint32_t oldest = c.key_positions[b][0];
    result.offsets.push_back(static_cast<std::int32_t>(c.position(b, 0) - oldest));
    if (!c.prefix_lengths.empty()) result.prefix_lengths[b] = std::max(c.prefix_lengths[b], oldest) - oldest;
  }
  if (c.base.causal != Causal::none) result.base.causal = Causal::offset;
  result.key_positions = {};
  result.tokens = {};
  return result;
}

}  // namespace heed::test
