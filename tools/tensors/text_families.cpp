// SPDX-License-Identifier: MIT
#include <utility>

#include "tensors/family_tables.hpp"

namespace heed::tools {

namespace {

/// All matrices of a file are stored alike, also the square one that does not tell.
std::vector<FamilyName> gpt2_names(bool transposed) {
  return {{"input", "@wte.weight"},
          {"positions", "@wpe.weight"},
          {"attention_norm", "@h.{}.ln_1.weight"},
          {"attention_norm_bias", "@h.{}.ln_1.bias"},
          {"qkv", "@h.{}.attn.c_attn.weight", transposed},
          {"qkv_bias", "@h.{}.attn.c_attn.bias"},
          {"output", "@h.{}.attn.c_proj.weight", transposed},
          {"output_bias", "@h.{}.attn.c_proj.bias"},
          {"mlp_norm", "@h.{}.ln_2.weight"},
          {"mlp_norm_bias", "@h.{}.ln_2.bias"},
          {"up", "@h.{}.mlp.c_fc.weight", transposed},
          {"up_bias", "@h.{}.mlp.c_fc.bias"},
          {"down", "@h.{}.mlp.c_proj.weight", transposed},
          {"down_bias", "@h.{}.mlp.c_proj.bias"},
          {"final_norm", "@ln_f.weight"},
          {"final_norm_bias", "@ln_f.bias"},
          {"head", "lm_head.weight"}};
}

std::vector<FamilyFact> gpt2_facts(std::vector<const char*> activations) {
  return {{"block.norm", {"layer_norm"}},
          {"block.norm_placement", {"before"}},
          {"block.activation", std::move(activations)},
          {"block.gated", {"false"}},
          {"positions", {"learned"}},
          {"input", {"tokens"}},
          {"causal", {"true"}},
          {"embedding_norm", {"false"}},
          {"final_norm", {"true"}}};
}

std::vector<FamilyName> bert_names() {
  return {{"input", "@embeddings.word_embeddings.weight"},
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
          {"head_bias", "classifier.bias"}};
}

std::vector<FamilyFact> bert_facts() {
  return {{"block.norm", {"layer_norm"}},
          {"block.norm_placement", {"after"}},
          {"block.activation", {"gelu_erf"}},
          {"block.gated", {"false"}},
          {"positions", {"learned"}},
          {"input", {"tokens"}},
          {"causal", {"false"}},
          {"embedding_norm", {"true"}},
          {"final_norm", {"false"}},
          {"pooling", {"first", "mean", "every"}}};
}

}  // namespace

ModelFamily llama_family() {
  return {
      .name = "llama",
      .prefixes = {"model.", ""},
      .names = {{"input", "@embed_tokens.weight"},
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
      .facts = {{"block.norm", {"rms_norm"}},
                {"block.norm_placement", {"before"}},
                {"block.activation", {"silu"}},
                {"block.gated", {"true"}},
                {"positions", {"rotary"}},
                {"rotary_layout", {"halves"}},
                {"input", {"tokens"}},
                {"causal", {"true"}},
                {"embedding_norm", {"false"}},
                {"final_norm", {"true"}}},
      .buffers = {"@layers.{}.self_attn.rotary_emb.inv_freq"},
      .assumption =
          "no rope_scaling, sliding window, softcap or multipliers; norms multiply by their weight, not by 1 + weight"};
}

ModelFamily gpt2_family() {
  return {.name = "gpt2",
          .prefixes = {"transformer.", "", "_orig_mod.transformer."},
          .names = gpt2_names(true),
          .facts = gpt2_facts({"gelu_tanh"}),
          .buffers = {"@h.{}.attn.bias", "@h.{}.attn.masked_bias"},
          .assumption = "scores are scaled by 1 / sqrt(head_dim) in every block"};
}

/// GPT-2 of nn.Linear, as nanoGPT and minGPT write it; their activations differ.
ModelFamily nanogpt_family() {
  return {.name = "nanogpt",
          .prefixes = {"transformer.", "", "_orig_mod.transformer."},
          .names = gpt2_names(false),
          .facts = gpt2_facts({"gelu_erf", "gelu_tanh"}),
          .buffers = {"@h.{}.attn.bias"},
          .assumption = "rows of c_attn all queries, all keys, all values"};
}

ModelFamily bert_family() {
  return {.name = "bert",
          .prefixes = {"bert.", ""},
          .names = bert_names(),
          .facts = bert_facts(),
          .buffers = {"@embeddings.position_ids"},
          .token_types = TokenTypes::several};
}

/// BERT, but for its positions, which begin after that of the padding token, 1, and its single token type.
ModelFamily roberta_family() {
  return {.name = "roberta",
          .prefixes = {"roberta.", ""},
          .names = bert_names(),
          .facts = bert_facts(),
          .buffers = {"@embeddings.position_ids"},
          .skipped_positions = 2,
          .token_types = TokenTypes::one};
}

}  // namespace heed::tools
