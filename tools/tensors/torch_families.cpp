// SPDX-License-Identifier: MIT
#include "tensors/family_tables.hpp"

namespace heed::tools {

namespace {

constexpr const char* of_a_decoder = "an encoder has no cross-attention; this is of the family torch_decoder";

/// What PyTorch's constructors and calls leave open, and a file does not tell.
std::vector<FamilyFact> torch_facts() {
  return {{"block.norm", {"layer_norm"}},
          {"block.norm_placement", {"after", "before"}},
          {"block.activation", {"relu", "gelu_erf", "gelu_tanh", "silu"}},
          {"block.gated", {"false"}},
          {"causal", {"false", "true"}}};
}

}  // namespace

/// nn.TransformerEncoder. What comes before and after it has names of its own.
ModelFamily torch_encoder_family() {
  return {.name = "torch_encoder",
          .prefixes = {"", "encoder.", "transformer_encoder.", "transformer.encoder."},
          .names = {{"qkv", "@layers.{}.self_attn.in_proj_weight"},
                    {"qkv_bias", "@layers.{}.self_attn.in_proj_bias"},
                    {"output", "@layers.{}.self_attn.out_proj.weight"},
                    {"output_bias", "@layers.{}.self_attn.out_proj.bias"},
                    {"attention_norm", "@layers.{}.norm1.weight"},
                    {"attention_norm_bias", "@layers.{}.norm1.bias"},
                    {"up", "@layers.{}.linear1.weight"},
                    {"up_bias", "@layers.{}.linear1.bias"},
                    {"down", "@layers.{}.linear2.weight"},
                    {"down_bias", "@layers.{}.linear2.bias"},
                    {"mlp_norm", "@layers.{}.norm2.weight"},
                    {"mlp_norm_bias", "@layers.{}.norm2.bias"},
                    {"final_norm", "@norm.weight"},
                    {"final_norm_bias", "@norm.bias"}},
          .facts = torch_facts(),
          .refused = {{"@layers.{}.multihead_attn.out_proj.weight", of_a_decoder}}};
}

/// nn.TransformerEncoderLayer, alone or in a list, whose name is the prefix.
ModelFamily torch_layer_family() {
  return {.name = "torch_layer",
          .prefixes = {"", "layers.{}.", "blocks.{}.", "encoder.{}."},
          .names = {{"qkv", "@self_attn.in_proj_weight"},
                    {"qkv_bias", "@self_attn.in_proj_bias"},
                    {"output", "@self_attn.out_proj.weight"},
                    {"output_bias", "@self_attn.out_proj.bias"},
                    {"attention_norm", "@norm1.weight"},
                    {"attention_norm_bias", "@norm1.bias"},
                    {"up", "@linear1.weight"},
                    {"up_bias", "@linear1.bias"},
                    {"down", "@linear2.weight"},
                    {"down_bias", "@linear2.bias"},
                    {"mlp_norm", "@norm2.weight"},
                    {"mlp_norm_bias", "@norm2.bias"}},
          .facts = torch_facts(),
          .refused = {{"@multihead_attn.out_proj.weight", of_a_decoder}}};
}

/// nn.TransformerDecoder, whose cross-attention has weights apart where its input is of another width.
ModelFamily torch_decoder_family() {
  return {.name = "torch_decoder",
          .prefixes = {"", "decoder.", "transformer_decoder.", "transformer.decoder."},
          .names = {{"qkv", "@layers.{}.self_attn.in_proj_weight"},
                    {"qkv_bias", "@layers.{}.self_attn.in_proj_bias"},
                    {"output", "@layers.{}.self_attn.out_proj.weight"},
                    {"output_bias", "@layers.{}.self_attn.out_proj.bias"},
                    {"attention_norm", "@layers.{}.norm1.weight"},
                    {"attention_norm_bias", "@layers.{}.norm1.bias"},
                    {"cross_qkv", "@layers.{}.multihead_attn.in_proj_weight"},
                    {"cross_query", "@layers.{}.multihead_attn.q_proj_weight"},
                    {"cross_key", "@layers.{}.multihead_attn.k_proj_weight"},
                    {"cross_value", "@layers.{}.multihead_attn.v_proj_weight"},
                    {"cross_qkv_bias", "@layers.{}.multihead_attn.in_proj_bias"},
                    {"cross_output", "@layers.{}.multihead_attn.out_proj.weight"},
                    {"cross_output_bias", "@layers.{}.multihead_attn.out_proj.bias"},
                    {"cross_norm", "@layers.{}.norm2.weight"},
                    {"cross_norm_bias", "@layers.{}.norm2.bias"},
                    {"up", "@layers.{}.linear1.weight"},
                    {"up_bias", "@layers.{}.linear1.bias"},
                    {"down", "@layers.{}.linear2.weight"},
                    {"down_bias", "@layers.{}.linear2.bias"},
                    {"mlp_norm", "@layers.{}.norm3.weight"},
                    {"mlp_norm_bias", "@layers.{}.norm3.bias"},
                    {"final_norm", "@norm.weight"},
                    {"final_norm_bias", "@norm.bias"}},
          .facts = torch_facts()};
}

}  // namespace heed::tools
