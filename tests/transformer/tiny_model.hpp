// SPDX-License-Identifier: MIT
//
// Models of a few random numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "support/random.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {

/// A decoder of tokens as Llama is one: gated, rotary, without biases.
inline constexpr ModelConfig tiny_llama{.block = {.model_dim = 12,
                                                  .heads = 2,
                                                  .kv_heads = 1,
                                                  .mlp_dim = 20,
                                                  .norm = Norm::rms_norm,
                                                  .activation = Activation::silu,
                                                  .gated = true},
                                        .blocks = 2,
                                        .input_dim = 19,
                                        .max_positions = 16,
                                        .outputs = 19,
                                        .positions = Positions::rotary};

/// An encoder of frames as ViT is one: a class token, learned positions, a label.
inline constexpr ModelConfig tiny_vit{.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20},
                                      .blocks = 2,
                                      .input_dim = 6,
                                      .max_positions = 5,
                                      .outputs = 7,
                                      .input = ModelInput::frames,
                                      .positions = Positions::learned,
                                      .pooling = Pooling::first,
                                      .class_token = true,
                                      .encoder = true};

/// A decoder as GPT-2 is one, and an encoder of tokens as BERT is one.
inline constexpr ModelConfig tiny_gpt2{
    .block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .activation = Activation::gelu_tanh},
    .blocks = 2,
    .input_dim = 19,
    .max_positions = 16,
    .outputs = 19,
    .tied_head = true};
inline constexpr ModelConfig tiny_bert{
    .block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .norm_placement = NormPlacement::after},
    .blocks = 2,
    .input_dim = 19,
    .max_positions = 16,
    .outputs = 19,
    .pooling = Pooling::every,
    .encoder = true,
    .embedding_norm = true,
    .without_final_norm = true};

/// Random weights for a configuration; biases where they are asked for.
class TinyModel {
 public:
  TinyModel(const ModelConfig& asked, bool biases, std::uint64_t seed = 1) : random_(seed), biases_(biases) {
    ModelPlan plan;
    EXPECT_EQ(make_plan(asked, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
    config = plan.config;
    const std::size_t dim = config.block.model_dim;
    ends.input = some(config.input_dim * dim);
    if (config.input == ModelInput::frames) ends.input_bias = bias(dim);
    if (config.class_token) ends.class_token = some(dim);
    if (config.positions == Positions::learned) ends.positions = some(config.max_positions * dim);
    if (config.embedding_norm) ends.embedding_norm = norm();
    if (!config.without_final_norm) ends.final_norm = norm();
    if (config.outputs != 0 && !config.tied_head) {
      ends.head = some(config.outputs * dim);
      ends.head_bias = bias(config.outputs);
    }
    for (std::uint32_t i = 0; i < config.blocks; ++i) add_block();
  }

  [[nodiscard]] AlignedBytes file() const { return packed_model(config, ends, blocks); }

  ModelConfig config;
  ModelWeights ends;
  std::vector<BlockWeights> blocks;

 private:
  const float* some(std::size_t count) { return kept_.emplace_back(random_.normals(count, 0.3F)).data(); }
  const float* bias(std::size_t count) { return biases_ ? some(count) : nullptr; }
  NormWeights norm() {
    const std::size_t dim = config.block.model_dim;
    return {some(dim), config.block.norm == Norm::layer_norm ? bias(dim) : nullptr};
  }

  MultiHeadWeights attention(std::size_t kv_input) {
    const BlockConfig& block = config.block;
    const std::size_t dim = block.model_dim;
    const std::size_t query = std::size_t{block.heads} * block.head_dim;
    const std::size_t key = std::size_t{block.kv_heads} * block.head_dim;
    // Packed matrices are split: the three lie one after the other.
    const float* const all = some((query * dim) + 2 * key * kv_input);
    const float* const all_bias = bias(query + 2 * key);
    MultiHeadWeights weights;
    weights.query = all;
    weights.key = all + query * dim;
    weights.value = weights.key + key * kv_input;
    if (all_bias != nullptr) {
      weights.query_bias = all_bias;
      weights.key_bias = all_bias + query;
      weights.value_bias = weights.key_bias + key;
    }
    weights.output = some(dim * query);
    weights.output_bias = bias(dim);
    return weights;
  }

  void add_block() {
    const std::size_t dim = config.block.model_dim;
    const std::size_t hidden = config.block.mlp_dim;
    BlockWeights& block = blocks.emplace_back();
    block.attention_norm = norm();
    block.attention = attention(dim);
    if (config.block.cross_dim != 0) {
      block.cross_norm = norm();
      block.cross = attention(config.block.cross_dim);
    }
    block.mlp_norm = norm();
    if (config.block.gated) {
      block.gate = some(hidden * dim);
      block.gate_bias = bias(hidden);
    }
    block.up = some(hidden * dim);
    block.up_bias = bias(hidden);
    block.down = some(dim * hidden);
    block.down_bias = bias(dim);
  }

  Random random_;
  bool biases_;
  std::deque<std::vector<float>> kept_;
};

}  // namespace heed::test
