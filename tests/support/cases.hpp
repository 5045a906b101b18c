// SPDX-License-Identifier: MIT
//
// Running an AttentionCase through the runtime, with memory of just the right size.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "heed/heed.hpp"
#include "support/aligned_memory.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

namespace heed::test {

/// In the order of the computation.
inline constexpr ScoreStage score_stages[] = {ScoreStage::raw, ScoreStage::softcapped, ScoreStage::masked,
                                              ScoreStage::weights};

struct Result {
  Status status = Status::ok;
  std::vector<float> output, scores, log_sum_exp;
};

/// How a case is run; none of it may change a bit.
struct Manner {
  std::uint32_t scratch_budget = 0;
  std::uint32_t workers = 1;
  Executor executor{};
  bool from_cache = false;
  bool integers = false;  ///< from a cache of int8_integer, which changes every bit
  bool rows_first_layout = false;
  unsigned char arena_fill = 0xFF;
  std::uint32_t max_keys = 0;
  bool want_scores = false;
  ScoreStage stage = ScoreStage::weights;
  bool want_log_sum_exp = true;
  float scores_fill = -7.0F;  ///< what the scores' memory holds before the call
};

/// [batch, heads, rows, dim] to [batch, rows, heads, dim] or back.
inline std::vector<float> swap_heads_and_rows(const std::vector<float>& from, std::uint32_t batch, std::uint32_t heads,
                                              std::uint32_t rows, std::uint32_t dim) {
  std::vector<float> to(from.size());
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t d = 0; d < dim; ++d)
          to[((b * rows + r) * heads + h) * dim + d] = from[((b * heads + h) * rows + r) * dim + d];
  return to;
}

inline AttentionPlan plan_of(const AttentionShape& shape, const Manner& manner) {
  AttentionPlan plan;
  const AttentionConfig config{.heads = shape.heads,
                               .kv_heads = shape.kv_heads,
                               .head_dim = shape.head_dim,
                               .value_dim = shape.value_dim,
                               .max_keys = manner.max_keys,
                               .workers = manner.workers,
                               .scratch_budget = manner.scratch_budget,
                               .integers = manner.integers ? 1U : 0U};
  EXPECT_EQ(make_plan(config, plan), Status::ok);
  return plan;
}

inline KvCachePlan cache_plan_of(const AttentionShape& shape, bool integers) {
  KvCachePlan plan;
  KvCacheConfig config{shape.batch, shape.kv_heads, shape.head_dim, shape.value_dim, std::max(shape.keys, 1U)};
  if (integers) config.key_type = config.value_type = DataType::int8_integer;
  EXPECT_EQ(make_plan(config, plan), Status::ok);
  return plan;
}

/// Lays the case out as `manner` says and runs call(plan, arena, inputs, outputs, executor). The status is the caller's
/// to look at.
template <class Call>
Result run_by(const AttentionCase& c, const Manner& manner, const Call& call) {
  const AttentionShape& s = c.shape;
  const AttentionPlan plan = plan_of(s, manner);
  const AlignedMemory arena(plan.bytes, manner.arena_fill);
  Result result;
  result.output.assign(std::size_t{s.batch} * s.heads * s.queries * s.value_dim, -7.0F);
  if (manner.want_log_sum_exp) result.log_sum_exp.assign(std::size_t{s.batch} * s.heads * s.queries, -7.0F);
  if (manner.want_scores) result.scores.assign(std::size_t{s.batch} * s.heads * s.queries * s.keys, manner.scores_fill);

  AttentionInputs in;
  in.batch = s.batch;
  in.query_count = s.queries;
  in.key_count = s.keys;
  in.causal = c.causal;
  in.causal_offset = c.offset;
  in.scale = c.scale;
  if (!c.lengths.empty()) in.key_lengths = c.lengths.data();
  in.query = bhsd(c.query.data(), s.heads, s.queries, s.head_dim);
  in.key = bhsd(c.key.data(), s.kv_heads, s.keys, s.head_dim);
  in.value = bhsd(c.value.data(), s.kv_heads, s.keys, s.value_dim);
  std::vector<float> swapped[3];
  if (manner.rows_first_layout) {
    swapped[0] = swap_heads_and_rows(c.query, s.batch, s.heads, s.queries, s.head_dim);
    swapped[1] = swap_heads_and_rows(c.key, s.batch, s.kv_heads, s.keys, s.head_dim);
    swapped[2] = swap_heads_and_rows(c.value, s.batch, s.kv_heads, s.keys, s.value_dim);
    in.query = bshd<const float>(swapped[0].data(), s.heads, s.queries, s.head_dim);
    in.key = bshd<const float>(swapped[1].data(), s.kv_heads, s.keys, s.head_dim);
    in.value = bshd<const float>(swapped[2].data(), s.kv_heads, s.keys, s.value_dim);
  }
  AttentionOutputs out;
  out.output = manner.rows_first_layout ? bshd(result.output.data(), s.heads, s.queries, s.value_dim)
                                        : bhsd(result.output.data(), s.heads, s.queries, s.value_dim);
  if (manner.want_log_sum_exp) out.log_sum_exp = result.log_sum_exp.data();
  if (manner.want_scores) out.scores = bhsd(result.scores.data(), s.heads, s.queries, s.keys);
  out.score_stage = manner.stage;

  const KvCachePlan cache_plan = cache_plan_of(s, manner.integers);
  const bool from_cache = manner.from_cache || manner.integers;
  const AlignedMemory cache_memory(from_cache ? cache_plan.bytes : 64, manner.arena_fill);
  KvCache cache;
  if (from_cache) {
    EXPECT_EQ(
        cache.init(cache_plan, cache_memory.span(), {.formats = {manner.integers ? &int8_integer_cache : nullptr}}),
        Status::ok);
    for (std::uint32_t b = 0; b < s.batch; ++b) {
      ConstTensor key = in.key;
      ConstTensor value = in.value;
      key.data = in.key.row(b, 0, 0);
      value.data = in.value.row(b, 0, 0);
      EXPECT_EQ(cache.append(b, s.keys, key, value), Status::ok);
    }
    in.cache = &cache;
    in.key = {};
    in.value = {};
  }
  result.status = call(plan, arena.span(), in, out, manner.executor);
  if (manner.rows_first_layout) {
    result.output = swap_heads_and_rows(result.output, s.batch, s.queries, s.heads, s.value_dim);
  }
  return result;
}

/// Of a case that must not be refused: two refusals would be the same to the bit.
inline Result run(const AttentionCase& c, const Manner& manner = {}) {
  Result result =
      run_by(c, manner, [](const auto& plan, auto arena, const auto& in, const auto& out, const auto& executor) {
        return attend(plan, arena, in, out, executor);
      });
  EXPECT_EQ(result.status, Status::ok);
  return result;
}

inline AttentionCase random_case(Random& random, const AttentionShape& shape, float spread = 1.0F) {
  AttentionCase c;
  c.shape = shape;
  c.query = random.normals(std::size_t{shape.batch} * shape.heads * shape.queries * shape.head_dim, spread);
  c.key = random.normals(std::size_t{shape.batch} * shape.kv_heads * shape.keys * shape.head_dim);
  c.value = random.normals(std::size_t{shape.batch} * shape.kv_heads * shape.keys * shape.value_dim);
  return c;
}

/// Equal bits, or both NaN.
[[nodiscard]] inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

}  // namespace heed::test
