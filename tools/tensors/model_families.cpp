// SPDX-License-Identifier: MIT
#include "tensors/model_families.hpp"

namespace heed::tools {

namespace {

constexpr const char* role_names[] = {"input",
                                      "input_bias",
                                      "class_token",
                                      "positions",
                                      "token_types",
                                      "embedding_norm",
                                      "final_norm",
                                      "embedding_norm_bias",
                                      "head",
                                      "head_bias",
                                      "final_norm_bias",
                                      "attention_norm",
                                      "query",
                                      "attention_norm_bias",
                                      "key",
                                      "value",
                                      "output",
                                      "qkv",
                                      "query_bias",
                                      "key_bias",
                                      "value_bias",
                                      "output_bias",
                                      "qkv_bias",
                                      "cross_norm",
                                      "cross_query",
                                      "cross_norm_bias",
                                      "cross_key",
                                      "cross_value",
                                      "cross_output",
                                      "cross_qkv",
                                      "cross_key_bias",
                                      "cross_query_bias",
                                      "mlp_norm",
                                      "gate",
                                      "up",
                                      "cross_value_bias",
                                      "cross_qkv_bias",
                                      "cross_output_bias",
                                      "down",
                                      "gate_bias",
                                      "up_bias",
                                      "mlp_norm_bias",
                                      "down_bias"};

ModelFamily llama() {
  return {"llama",
          {"model.", ""},
          {{"input", "@embed_tokens.weight"},
           {"attention_norm", "@layers.{}.input_layernorm.weight"},
           {"query", "@layers.{}.self_attn.q_proj.weight"},
           {"query_bias", "@layers.{}.self_attn.q_proj.bias"},
           {"key", "@layers.{}.self_attn.k_proj.weight"},
           {"key_bias", "@layers.{}.self_attn.k_proj.bias"},
           {"value", "@layers.{}.self_attn.v_proj.weight"},
           {"value_bias", "@layers.{}.self_attn.v_proj.bias"},
           {"output", "@layers.{}.self_attn.o_proj.weight"},
           {"output_bias", "@layers.{}.self_attn.o_proj.bias"},
           {"mlp_norm", "@layers.{}.post_attention_layernorm.weight"},
           {"gate", "@layers.{}.mlp.gate_proj.weight"},
           {"gate_bias", "@layers.{}.mlp.gate_proj.bias"},
           {"up", "@layers.{}.mlp.up_proj.weight"},
           {"up_bias", "@layers.{}.mlp.up_proj.bias"},
           {"down", "@layers.{}.mlp.down_proj.weight"},
           {"down_bias", "@layers.{}.mlp.down_proj.bias"},
           {"final_norm", "@norm.weight"},
           {"head", "lm_head.weight"}},
          {"@layers.{}.self_attn.rotary_emb.inv_freq"}};
}

ModelFamily gpt2() {
  return {"gpt2",
          {"transformer.", ""},
          {{"input", "@wte.weight"},
           {"positions", "@wpe.weight"},
           {"attention_norm", "@h.{}.ln_1.weight"},
           {"attention_norm_bias", "@h.{}.ln_1.bias"},
           {"qkv", "@h.{}.attn.c_attn.weight", true},
           {"qkv_bias", "@h.{}.attn.c_attn.bias"},
           {"output", "@h.{}.attn.c_proj.weight", true},
           {"output_bias", "@h.{}.attn.c_proj.bias"},
           {"mlp_norm", "@h.{}.ln_2.weight"},
           {"mlp_norm_bias", "@h.{}.ln_2.bias"},
           {"up", "@h.{}.mlp.c_fc.weight", true},
           {"up_bias", "@h.{}.mlp.c_fc.bias"},
           {"down", "@h.{}.mlp.c_proj.weight", true},
           {"down_bias", "@h.{}.mlp.c_proj.bias"},
           {"final_norm", "@ln_f.weight"},
           {"final_norm_bias", "@ln_f.bias"},
           {"head", "lm_head.weight"}},
          {"@h.{}.attn.bias", "@h.{}.attn.masked_bias"}};
}

ModelFamily bert() {
  return {"bert",
          {"bert.", ""},
          {{"input", "@embeddings.word_embeddings.weight"},
           {"positions", "@embeddings.position_embeddings.weight"},
           {"token_types", "@embeddings.token_type_embeddings.weight"},
           {"embedding_norm", "@embeddings.LayerNorm.weight"},
           {"embedding_norm_bias", "@embeddings.LayerNorm.bias"},
           {"query", "@encoder.layer.{}.attention.self.query.weight"},
           {"query_bias", "@encoder.layer.{}.attention.self.query.bias"},
           {"key", "@encoder.layer.{}.attention.self.key.weight"},
           {"key_bias", "@encoder.layer.{}.attention.self.key.bias"},
           {"value", "@encoder.layer.{}.attention.self.value.weight"},
           {"value_bias", "@encoder.layer.{}.attention.self.value.bias"},
           {"output", "@encoder.layer.{}.attention.output.dense.weight"},
           {"output_bias", "@encoder.layer.{}.attention.output.dense.bias"},
           {"attention_norm", "@encoder.layer.{}.attention.output.LayerNorm.weight"},
           {"attention_norm_bias", "@encoder.layer.{}.attention.output.LayerNorm.bias"},
           {"up", "@encoder.layer.{}.intermediate.dense.weight"},
           {"up_bias", "@encoder.layer.{}.intermediate.dense.bias"},
           {"down", "@encoder.layer.{}.output.dense.weight"},
           {"down_bias", "@encoder.layer.{}.output.dense.bias"},
           {"mlp_norm", "@encoder.layer.{}.output.LayerNorm.weight"},
           {"mlp_norm_bias", "@encoder.layer.{}.output.LayerNorm.bias"},
           {"head", "classifier.weight"},
           {"head_bias", "classifier.bias"}},
          {"@embeddings.position_ids"}};
}

/// Hugging Face's.
ModelFamily vit() {
  return {"vit",
          {"vit.", ""},
          {{"input", "@embeddings.patch_embeddings.projection.weight"},
           {"input_bias", "@embeddings.patch_embeddings.projection.bias"},
           {"class_token", "@embeddings.cls_token"},
           {"positions", "@embeddings.position_embeddings"},
           {"attention_norm", "@encoder.layer.{}.layernorm_before.weight"},
           {"attention_norm_bias", "@encoder.layer.{}.layernorm_before.bias"},
           {"query", "@encoder.layer.{}.attention.attention.query.weight"},
           {"query_bias", "@encoder.layer.{}.attention.attention.query.bias"},
           {"key", "@encoder.layer.{}.attention.attention.key.weight"},
           {"key_bias", "@encoder.layer.{}.attention.attention.key.bias"},
           {"value", "@encoder.layer.{}.attention.attention.value.weight"},
           {"value_bias", "@encoder.layer.{}.attention.attention.value.bias"},
           {"output", "@encoder.layer.{}.attention.output.dense.weight"},
           {"output_bias", "@encoder.layer.{}.attention.output.dense.bias"},
           {"mlp_norm", "@encoder.layer.{}.layernorm_after.weight"},
           {"mlp_norm_bias", "@encoder.layer.{}.layernorm_after.bias"},
           {"up", "@encoder.layer.{}.intermediate.dense.weight"},
           {"up_bias", "@encoder.layer.{}.intermediate.dense.bias"},
           {"down", "@encoder.layer.{}.output.dense.weight"},
           {"down_bias", "@encoder.layer.{}.output.dense.bias"},
           {"final_norm", "@layernorm.weight"},
           {"final_norm_bias", "@layernorm.bias"},
           {"head", "classifier.weight"},
           {"head_bias", "classifier.bias"}},
          {}};
}

ModelFamily timm_vit() {
  return {"timm_vit",
          {""},
          {{"input", "@patch_embed.proj.weight"},
           {"input_bias", "@patch_embed.proj.bias"},
           {"class_token", "@cls_token"},
           {"positions", "@pos_embed"},
           {"attention_norm", "@blocks.{}.norm1.weight"},
           {"attention_norm_bias", "@blocks.{}.norm1.bias"},
           {"qkv", "@blocks.{}.attn.qkv.weight"},
           {"qkv_bias", "@blocks.{}.attn.qkv.bias"},
           {"output", "@blocks.{}.attn.proj.weight"},
           {"output_bias", "@blocks.{}.attn.proj.bias"},
           {"mlp_norm", "@blocks.{}.norm2.weight"},
           {"mlp_norm_bias", "@blocks.{}.norm2.bias"},
           {"up", "@blocks.{}.mlp.fc1.weight"},
           {"up_bias", "@blocks.{}.mlp.fc1.bias"},
           {"down", "@blocks.{}.mlp.fc2.weight"},
           {"down_bias", "@blocks.{}.mlp.fc2.bias"},
           {"final_norm", "@norm.weight"},
           {"final_norm_bias", "@norm.bias"},
           {"head", "@head.weight"},
           {"head_bias", "@head.bias"}},
          {}};
}

ModelFamily kwt() {
  return {"kwt",
          {""},
          {{"input", "@patch_proj.weight"},
           {"input_bias", "@patch_proj.bias"},
           {"class_token", "@class_token"},
           {"positions", "@pos_embed"},
           {"query", "@blocks.{}.attention.query.weight"},
           {"query_bias", "@blocks.{}.attention.query.bias"},
           {"key", "@blocks.{}.attention.key.weight"},
           {"key_bias", "@blocks.{}.attention.key.bias"},
           {"value", "@blocks.{}.attention.value.weight"},
           {"value_bias", "@blocks.{}.attention.value.bias"},
           {"output", "@blocks.{}.attention.output.weight"},
           {"output_bias", "@blocks.{}.attention.output.bias"},
           {"attention_norm", "@blocks.{}.norm1.weight"},
           {"attention_norm_bias", "@blocks.{}.norm1.bias"},
           {"up", "@blocks.{}.mlp.fc1.weight"},
           {"up_bias", "@blocks.{}.mlp.fc1.bias"},
           {"down", "@blocks.{}.mlp.fc2.weight"},
           {"down_bias", "@blocks.{}.mlp.fc2.bias"},
           {"mlp_norm", "@blocks.{}.norm2.weight"},
           {"mlp_norm_bias", "@blocks.{}.norm2.bias"},
           {"head", "@head.weight"},
           {"head_bias", "@head.bias"}},
          {}};
}

/// nn.TransformerEncoder. What comes before and after it has names of its own.
ModelFamily torch_encoder() {
  return {"torch_encoder",
          {"", "encoder.", "transformer_encoder.", "transformer.encoder."},
          {{"qkv", "@layers.{}.self_attn.in_proj_weight"},
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
          {}};
}

/// nn.TransformerEncoderLayer, alone or in a list, whose name is the prefix.
ModelFamily torch_layer() {
  return {"torch_layer",
          {"", "layers.{}.", "blocks.{}.", "encoder.{}."},
          {{"qkv", "@self_attn.in_proj_weight"},
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
          {}};
}

/// nn.TransformerDecoder, whose cross-attention has weights apart where its input is of another width.
ModelFamily torch_decoder() {
  return {"torch_decoder",
          {"", "decoder.", "transformer_decoder.", "transformer.decoder."},
          {{"qkv", "@layers.{}.self_attn.in_proj_weight"},
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
          {}};
}

}  // namespace

std::span<const ModelFamily> model_families() {
  static const std::vector<ModelFamily> families{llama(), gpt2(),          bert(),        vit(),          timm_vit(),
                                                 kwt(),   torch_encoder(), torch_layer(), torch_decoder()};
  return families;
}

std::span<const char* const> tensor_roles() {
  return role_names;
}

}  // namespace heed::tools
