// SPDX-License-Identifier: MIT
#include "architectures/gguf_names.hpp"

#include <string_view>

namespace heed::tools {

namespace {

constexpr FamilyName gguf_names[] = {{"input", "token_embd.weight"},
                                     {"positions", "position_embd.weight"},
                                     {"attention_norm", "blk.{}.attn_norm.weight"},
                                     {"attention_norm_bias", "blk.{}.attn_norm.bias"},
                                     {"query", "blk.{}.attn_q.weight"},
                                     {"query_bias", "blk.{}.attn_q.bias"},
                                     {"key", "blk.{}.attn_k.weight"},
                                     {"key_bias", "blk.{}.attn_k.bias"},
                                     {"value", "blk.{}.attn_v.weight"},
                                     {"value_bias", "blk.{}.attn_v.bias"},
                                     {"qkv", "blk.{}.attn_qkv.weight"},
                                     {"qkv_bias", "blk.{}.attn_qkv.bias"},
                                     {"output", "blk.{}.attn_output.weight"},
                                     {"output_bias", "blk.{}.attn_output.bias"},
                                     {"query_norm", "blk.{}.attn_q_norm.weight"},
                                     {"key_norm", "blk.{}.attn_k_norm.weight"},
                                     {"attention_output_norm", "blk.{}.post_attention_norm.weight"},
                                     {"mlp_norm", "blk.{}.ffn_norm.weight"},
                                     {"mlp_norm_bias", "blk.{}.ffn_norm.bias"},
                                     {"gate", "blk.{}.ffn_gate.weight"},
                                     {"gate_bias", "blk.{}.ffn_gate.bias"},
                                     {"gate_up", "blk.{}.ffn_up.weight"},
                                     {"up", "blk.{}.ffn_up.weight"},
                                     {"up_bias", "blk.{}.ffn_up.bias"},
                                     {"down", "blk.{}.ffn_down.weight"},
                                     {"down_bias", "blk.{}.ffn_down.bias"},
                                     {"mlp_output_norm", "blk.{}.post_ffw_norm.weight"},
                                     {"final_norm", "output_norm.weight"},
                                     {"final_norm_bias", "output_norm.bias"},
                                     {"head", "output.weight"}};

bool is_rotated(std::string_view role) {
  return role.starts_with("query") || role.starts_with("key");
}

}  // namespace

void give_gguf_names(ModelFamily& family, bool pairs) {
  family.prefixes = {""};
  family.buffers = {"rope_freqs.weight"};
  family.refused.clear();
  for (FamilyName& name : family.names) {
    for (const FamilyName& known : gguf_names) {
      if (std::string_view(name.role) == known.role) name.pattern = known.pattern;
    }
    const bool norm = std::string_view(name.role).ends_with("_norm");
    name.transposed = false;
    name.fold.added = 0.0;
    name.order = pairs && is_rotated(name.role) && !norm ? RowOrder::pairs : RowOrder::plain;
  }
}

}  // namespace heed::tools
