// SPDX-License-Identifier: MIT
//
// The structs of heed_attention.h as those of attention.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/attention.hpp"
#include "heed/heed_attention.h"
#include "heed/kv_cache.hpp"

namespace heed::detail {

static_assert(same_size<heed_attention_config, AttentionConfig>);
HEED_SAME_MEMBER(heed_attention_config, AttentionConfig, heads);
HEED_SAME_MEMBER(heed_attention_config, AttentionConfig, kv_heads);
HEED_SAME_MEMBER(heed_attention_config, AttentionConfig, head_dim);
HEED_SAME_MEMBER(heed_attention_config, AttentionConfig, value_dim);
HEED_SAME_MEMBER(heed_attention_config, AttentionConfig, max_keys);
HEED_SAME_MEMBER(heed_attention_config, AttentionConfig, workers);
HEED_SAME_MEMBER(heed_attention_config, AttentionConfig, scratch_budget);

static_assert(same_size<heed_attention_plan, AttentionPlan>);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, config);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, row_group_rows);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, query_tile_rows);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, staged_keys);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, scored_keys);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, queries);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, keys);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, scores);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, block_work);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, accumulators);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, statistics);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, worker_bytes);
HEED_SAME_MEMBER(heed_attention_plan, AttentionPlan, bytes);

static_assert(same_size<heed_attention_inputs, AttentionInputs>);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, batch);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, query_count);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, key_count);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, query);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, key);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, value);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, cache);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, sequence_ids);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, page_table);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, max_pages);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, key_lengths);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, causal);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, causal_offset);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, scale);

static_assert(same_size<heed_attention_outputs, AttentionOutputs>);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, output);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, scores);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, score_stage);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, log_sum_exp);

static_assert(same_size<heed_causal, Causal>);
static_assert(HEED_CAUSAL_NONE == value_of(Causal::none));
static_assert(HEED_CAUSAL_TOP_LEFT == value_of(Causal::top_left));
static_assert(HEED_CAUSAL_BOTTOM_RIGHT == value_of(Causal::bottom_right));
static_assert(HEED_CAUSAL_OFFSET == value_of(Causal::offset));
static_assert(same_size<heed_score_stage, ScoreStage>);
static_assert(HEED_SCORE_RAW == value_of(ScoreStage::raw));
static_assert(HEED_SCORE_SOFTCAPPED == value_of(ScoreStage::softcapped));
static_assert(HEED_SCORE_MASKED == value_of(ScoreStage::masked));
static_assert(HEED_SCORE_WEIGHTS == value_of(ScoreStage::weights));

/// The inputs, with their cache if they name one.
[[nodiscard]] inline AttentionInputs twin_of(const heed_attention_inputs& inputs) noexcept {
  auto twin = std::bit_cast<AttentionInputs>(inputs);
  twin.batch = at_least_one(twin.batch);
  twin.cache = inputs.cache == nullptr ? nullptr : &in_place<KvCache>(*inputs.cache);
  return twin;
}

}  // namespace heed::detail
