// SPDX-License-Identifier: MIT
//
// What the C interface rests on: every struct of heed.h has the size, the alignment and the members of its C++ twin, so
// that one is turned into the other by copying its bytes. A member added on one side only stops the build here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed.h"
#include "heed/heed.hpp"

namespace heed::detail {

static_assert(same_size<heed_tensor, MutableTensor>);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, data);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, batch_stride);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, head_stride);
HEED_SAME_MEMBER(heed_tensor, MutableTensor, row_stride);

static_assert(same_size<heed_const_tensor, ConstTensor>);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, data);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, batch_stride);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, head_stride);
HEED_SAME_MEMBER(heed_const_tensor, ConstTensor, row_stride);

static_assert(same_size<heed_matrix, MutableMatrix>);
HEED_SAME_MEMBER(heed_matrix, MutableMatrix, data);
HEED_SAME_MEMBER(heed_matrix, MutableMatrix, batch_stride);
HEED_SAME_MEMBER(heed_matrix, MutableMatrix, row_stride);

static_assert(same_size<heed_const_matrix, ConstMatrix>);
HEED_SAME_MEMBER(heed_const_matrix, ConstMatrix, data);
HEED_SAME_MEMBER(heed_const_matrix, ConstMatrix, batch_stride);
HEED_SAME_MEMBER(heed_const_matrix, ConstMatrix, row_stride);

static_assert(same_size<heed_region, Region>);
HEED_SAME_MEMBER(heed_region, Region, name);
HEED_SAME_MEMBER(heed_region, Region, offset);
HEED_SAME_MEMBER(heed_region, Region, bytes);

static_assert(same_size<heed_executor, Executor>);
HEED_SAME_MEMBER(heed_executor, Executor, context);
HEED_SAME_MEMBER(heed_executor, Executor, parallel_for);

static_assert(same_size<heed_float_kv_cache_config, FloatKvCacheConfig>);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, max_sequences);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, kv_heads);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, head_dim);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, value_dim);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, max_keys);

static_assert(same_size<heed_float_kv_cache_plan, FloatKvCachePlan>);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, config);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, key_panels);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, value_width);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, lengths);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, keys);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, values);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, bytes);

static_assert(same_size<heed_float_kv_cache, FloatKvCache>);  // the members are private

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
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, key_lengths);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, causal);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, causal_offset);
HEED_SAME_MEMBER(heed_attention_inputs, AttentionInputs, scale);

static_assert(same_size<heed_attention_outputs, AttentionOutputs>);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, output);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, scores);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, score_stage);
HEED_SAME_MEMBER(heed_attention_outputs, AttentionOutputs, log_sum_exp);

static_assert(same_size<heed_multi_head_config, MultiHeadConfig>);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, model_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, heads);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, kv_heads);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, head_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, value_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, kv_input_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, output_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, max_keys);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, max_sequences);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, workers);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, scratch_budget);

static_assert(same_size<heed_projection_plan, ProjectionPlan>);
HEED_SAME_MEMBER(heed_projection_plan, ProjectionPlan, inputs);
HEED_SAME_MEMBER(heed_projection_plan, ProjectionPlan, outputs);
HEED_SAME_MEMBER(heed_projection_plan, ProjectionPlan, panels);
HEED_SAME_MEMBER(heed_projection_plan, ProjectionPlan, bias);

static_assert(same_size<heed_multi_head_plan, MultiHeadPlan>);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, config);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, cache);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, attention);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, token_rows);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, state);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, attention_scratch);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, projected);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, attention_output);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, bytes);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, weights_header);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, query);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, key);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, value);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, output);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, weights_bytes);

static_assert(same_size<heed_multi_head_weights, MultiHeadWeights>);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, query);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, key);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, value);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, output);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, query_bias);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, key_bias);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, value_bias);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, output_bias);

static_assert(same_size<heed_multi_head_inputs, MultiHeadInputs>);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, batch);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, tokens);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, input);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, sequence_ids);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, key_lengths);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, causal);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, causal_offset);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, scale);

static_assert(same_size<heed_multi_head_outputs, MultiHeadOutputs>);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, output);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, head_outputs);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, scores);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, score_stage);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, log_sum_exp);

static_assert(same_size<heed_multi_head_attention, MultiHeadAttention>);  // the members are private

template <class Enum>
inline constexpr int value_of(Enum option) noexcept {
  return static_cast<int>(option);
}

static_assert(HEED_OK == value_of(Status::ok));
static_assert(HEED_ZERO_DIMENSION == value_of(Status::zero_dimension));
static_assert(HEED_HEADS_NOT_DIVISIBLE == value_of(Status::heads_not_divisible));
static_assert(HEED_TOO_LARGE == value_of(Status::too_large));
static_assert(HEED_BAD_WORKERS == value_of(Status::bad_workers));
static_assert(HEED_ARENA_TOO_SMALL == value_of(Status::arena_too_small));
static_assert(HEED_ARENA_MISALIGNED == value_of(Status::arena_misaligned));
static_assert(HEED_NULL_POINTER == value_of(Status::null_pointer));
static_assert(HEED_BAD_STRIDE == value_of(Status::bad_stride));
static_assert(HEED_BAD_LENGTH == value_of(Status::bad_length));
static_assert(HEED_BAD_SCALE == value_of(Status::bad_scale));
static_assert(HEED_BAD_OPTION == value_of(Status::bad_option));
static_assert(HEED_KEYS_EXCEED_PLAN == value_of(Status::keys_exceed_plan));
static_assert(HEED_CACHE_FULL == value_of(Status::cache_full));
static_assert(HEED_BAD_SEQUENCE == value_of(Status::bad_sequence));
static_assert(HEED_BAD_TOKEN == value_of(Status::bad_token));
static_assert(HEED_NOT_INITIALISED == value_of(Status::not_initialised));
static_assert(HEED_WRONG_WEIGHTS == value_of(Status::wrong_weights));
static_assert(HEED_BAD_STATE == value_of(Status::bad_state));

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
static_assert(same_size<heed_sinusoid_layout, SinusoidLayout>);
static_assert(HEED_SINUSOID_INTERLEAVED == value_of(SinusoidLayout::interleaved));
static_assert(HEED_SINUSOID_HALVES == value_of(SinusoidLayout::halves));
static_assert(HEED_ARENA_ALIGNMENT == arena_alignment);

}  // namespace heed::detail
