// SPDX-License-Identifier: MIT
//
// Models of a few random numbers.
#pragma once

#include "transformer/random_ends.hpp"

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

/// A configuration, every default written out, and random weights for it; biases everywhere or nowhere.
class TinyModel : public RandomWeights {
 public:
  TinyModel(const ModelConfig& asked, bool biases)
      : RandomWeights(1, completed(asked), biases ? Biases::all : Biases::none), config(completed(asked)) {}

  [[nodiscard]] AlignedMemory file() const { return packed_model(config, ends, blocks); }

  ModelConfig config;

 private:
  RandomEnds more_weights_{2, config, ends};
};

}  // namespace heed::test
