// SPDX-License-Identifier: MIT
//
// The members of a ModelConfig by name, in the order of a model file: of their declaration, and then what came later.
#pragma once

#include "heed/types.hpp"

namespace heed::detail {

/// A flag that files store inverted, under another name.
template <class Flag>
struct Opposite {
  Flag& flag;
  const char* member;
};
template <class Flag>
Opposite(Flag&, const char*) -> Opposite<Flag>;

/// Calls visit(name, member) for each that every file has, by the names of a file's words and of a JSON; Config is
/// ModelConfig or const ModelConfig.
template <class Config, class Visit>
void for_each_plain_member(Config& config, const Visit& visit) {
  auto& block = config.block;
  visit("block.model_dim", block.model_dim);
  visit("block.heads", block.heads);
  visit("block.kv_heads", block.kv_heads);
  visit("block.head_dim", block.head_dim);
  visit("block.mlp_dim", block.mlp_dim);
  visit("block.cross_dim", block.cross_dim);
  visit("block.norm_epsilon", block.norm_epsilon);
  visit("block.weight_type", block.weight_type);
  visit("block.norm", block.norm);
  visit("block.norm_placement", block.norm_placement);
  visit("block.activation", block.activation);
  visit("block.gated", block.gated);
  visit("blocks", config.blocks);
  visit("input_dim", config.input_dim);
  visit("max_positions", config.max_positions);
  visit("outputs", config.outputs);
  visit("embedding_scale", config.embedding_scale);
  visit("rotary_base", config.rotary_base);
  visit("rotary_dim", config.rotary_dim);
  visit("rotary_layout", config.rotary_layout);
  visit("input_type", config.input_type);
  visit("head_type", config.head_type);
  visit("input", config.input);
  visit("positions", config.positions);
  visit("pooling", config.pooling);
  visit("class_token", config.class_token);
  visit("causal", Opposite{config.encoder, "encoder"});
  visit("embedding_norm", config.embedding_norm);
  visit("final_norm", Opposite{config.without_final_norm, "without_final_norm"});
  visit("tied_head", config.tied_head);
  visit("block.row_type", block.row_type);
  visit("block.output_row_type", block.output_row_type);
  visit("block.mlp_row_type", block.mlp_row_type);
  visit("block.down_row_type", block.down_row_type);
  visit("input_row_type", config.input_row_type);
  visit("head_row_type", config.head_row_type);
}

/// And for those of extended models, which are 0 in all others.
template <class Config, class Visit>
void for_each_extended_member(Config& config, const Visit& visit) {
  auto& block = config.block;
  visit("block.qk_norm", block.qk_norm);
  visit("block.score_softcap", block.score_softcap);
  visit("window", config.window);
  visit("full_every", config.full_every);
  visit("local_rotary_base", config.local_rotary_base);
  visit("rotary_skip_every", config.rotary_skip_every);
  visit("rotary_scaling", config.rotary_scaling);
  visit("rotary_factor", config.rotary_factor);
  visit("rotary_original_positions", config.rotary_original_positions);
  visit("rotary_beta_fast", config.rotary_beta_fast);
  visit("rotary_beta_slow", config.rotary_beta_slow);
  visit("rotary_high_factor", config.rotary_high_factor);
  visit("rotary_low_factor", config.rotary_low_factor);
  visit("rotary_attention_factor", config.rotary_attention_factor);
  visit("relative_buckets", config.relative_buckets);
  visit("relative_distance", config.relative_distance);
  visit("registers", config.registers);
  visit("token_types", config.token_types);
  visit("output_softcap", config.output_softcap);
  visit("pooler", config.pooler);
  visit("norm_after_pooling", config.norm_after_pooling);
  visit("unit_output", config.unit_output);
  visit("excluded_token", config.excluded_token);
}

template <class Config, class Visit>
void for_each_member(Config& config, const Visit& visit) {
  for_each_plain_member(config, visit);
  for_each_extended_member(config, visit);
}

}  // namespace heed::detail
