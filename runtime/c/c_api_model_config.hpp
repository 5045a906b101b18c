// SPDX-License-Identifier: MIT
//
// The structs of heed_model_config.h as those of block_plan.hpp and model_plan.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_model_config.h"
#include "heed/model_plan.hpp"

namespace heed::detail {

static_assert(same_size<heed_block_config, BlockConfig>);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, model_dim);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, heads);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, kv_heads);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, head_dim);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, mlp_dim);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, cross_dim);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, norm_epsilon);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, weight_type);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, norm);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, norm_placement);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, activation);
HEED_SAME_MEMBER(heed_block_config, BlockConfig, gated);

static_assert(same_size<heed_model_config, ModelConfig>);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, block);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, blocks);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, input_dim);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, max_positions);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, outputs);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, embedding_scale);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, rotary_base);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, rotary_dim);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, rotary_layout);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, input_type);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, head_type);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, input);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, positions);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, pooling);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, class_token);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, causal);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, embedding_norm);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, final_norm);
HEED_SAME_MEMBER(heed_model_config, ModelConfig, tied_head);

static_assert(same_size<heed_block_memory, BlockMemory>);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, rows);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, max_keys);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, max_cross_keys);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, sink_tokens);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, workers);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, scratch_budget);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, key_type);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, value_type);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, cross_type);
HEED_SAME_MEMBER(heed_block_memory, BlockMemory, ring);

static_assert(HEED_LAYER_NORM == value_of(Norm::layer_norm));
static_assert(HEED_RMS_NORM == value_of(Norm::rms_norm));
static_assert(HEED_NORM_BEFORE == value_of(NormPlacement::before));
static_assert(HEED_NORM_AFTER == value_of(NormPlacement::after));
static_assert(HEED_ACTIVATION_RELU == value_of(Activation::relu));
static_assert(HEED_ACTIVATION_GELU_TANH == value_of(Activation::gelu_tanh));
static_assert(HEED_ACTIVATION_GELU_ERF == value_of(Activation::gelu_erf));
static_assert(HEED_ACTIVATION_SILU == value_of(Activation::silu));
static_assert(HEED_INPUT_TOKENS == value_of(ModelInput::tokens));
static_assert(HEED_INPUT_FRAMES == value_of(ModelInput::frames));
static_assert(HEED_POSITIONS_NONE == value_of(Positions::none));
static_assert(HEED_POSITIONS_LEARNED == value_of(Positions::learned));
static_assert(HEED_POSITIONS_SINUSOIDAL == value_of(Positions::sinusoidal));
static_assert(HEED_POSITIONS_ROTARY == value_of(Positions::rotary));
static_assert(HEED_POOLING_LAST == value_of(Pooling::last));
static_assert(HEED_POOLING_FIRST == value_of(Pooling::first));
static_assert(HEED_POOLING_MEAN == value_of(Pooling::mean));
static_assert(HEED_POOLING_EVERY == value_of(Pooling::every));

/// A bool of C++ is 0 or 1, and nothing else.
[[nodiscard]] inline ModelConfig twin_of(heed_model_config config) noexcept {
  config.block.heads = at_least_one(config.block.heads);
  std::uint8_t* const flags[] = {&config.block.gated,    &config.class_token, &config.causal,
                                 &config.embedding_norm, &config.final_norm,  &config.tied_head};
  for (std::uint8_t* const flag : flags) {
    *flag = *flag != 0 ? 1 : 0;
  }
  return std::bit_cast<ModelConfig>(config);
}

}  // namespace heed::detail
