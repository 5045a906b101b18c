// SPDX-License-Identifier: MIT
//
// A layer's call made of public parts: projections, a KvCache filled by hand, and attend() over it.
#pragma once

#include <span>
#include <vector>

#include "layer/layer_options_case.hpp"

namespace heed::test {

/// Keys and values of a case [batch, kv_heads, keys, dim], keys rotated, as the layer projects them.
struct ProjectedCase {
  std::vector<float> query, key, value;
};

inline ProjectedCase projected(const LayerOptionsCase& c, const LayerWeights& w) {
  const AttentionShape& s = c.shape();
  const auto first = static_cast<std::uint32_t>(std::int64_t{s.keys} - s.queries);
  return {split_and_rotate(c, project_in_chains(c.x, c.config.model_dim, w.query, w.query_bias), s.heads, s.queries,
                           c.query_positions, first),
          split_and_rotate(c, project_in_chains(c.memory, c.config.kv_input_dim, w.key, w.key_bias), s.kv_heads, s.keys,
                           c.key_positions, 0),
          swap_heads_and_rows(project_in_chains(c.memory, c.config.kv_input_dim, w.value, w.value_bias), s.batch,
                              s.keys, s.kv_heads, s.value_dim)};
}

/// The outputs of the call.
inline LayerResult composed_over(const KvMultiHeadPlan& plan, std::span<const float> key_scales,
                                 const LayerOptionsCase& c, const LayerWeights& w) {
  const AttentionShape& s = c.shape();
  const ProjectedCase p = projected(c, w);
  AlignedMemory memory(plan.cache.bytes);
  AlignedMemory arena(plan.attention.bytes);
  KvCache cache;
  EXPECT_EQ(cache.init(plan.cache, memory.span()), Status::ok);
  if (!key_scales.empty()) {
    EXPECT_EQ(cache.set_key_scales(key_scales), Status::ok);
  }
  for (std::uint32_t b = 0; b < s.batch; ++b) {
    const std::size_t row = std::size_t{b} * s.kv_heads * s.keys;
    EXPECT_EQ(
        cache.append(c.sequences[b], s.keys, bhsd(p.key.data() + row * s.head_dim, s.kv_heads, s.keys, s.head_dim),
                     bhsd(p.value.data() + row * s.value_dim, s.kv_heads, s.keys, s.value_dim)),
        Status::ok);
  }
  const std::size_t rows = std::size_t{s.batch} * s.heads * s.queries;
  LayerResult result{Status::ok,
                     {},
                     std::vector<float>(rows * s.value_dim),
                     std::vector<float>(rows * s.keys),
                     std::vector<float>(rows)};
  AttentionInputs in;
  in.batch = s.batch;
  in.query_count = s.queries;
  in.query = bhsd(p.query.data(), s.heads, s.queries, s.head_dim);
  in.sequence_ids = c.sequences.data();
  in.causal = c.options.base.causal;
  AttentionOutputs out;
  out.output = bhsd(result.heads.data(), s.heads, s.queries, s.value_dim);
  out.scores = bhsd(result.scores.data(), s.heads, s.queries, s.keys);
  out.log_sum_exp = result.log_sum_exp.data();
  result.status = attend(plan.attention, arena.span(), in, {.cache = &cache}, {}, out);
  result.y = project_in_chains(swap_heads_and_rows(result.heads, s.batch, s.heads, s.queries, s.value_dim),
                               std::size_t{s.heads} * s.value_dim, w.output, w.output_bias);
  return result;
}

}  // namespace heed::test
