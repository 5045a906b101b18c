// SPDX-License-Identifier: MIT
#include <utility>
#include <vector>

#include "tensors/family_tables.hpp"

namespace heed::tools {

namespace {

std::vector<FamilyFact> vit_facts(std::vector<const char*> poolings) {
  return {{"block.norm", {"layer_norm"}},  {"block.norm_placement", {"before"}}, {"block.activation", {"gelu_erf"}},
          {"block.gated", {"false"}},      {"positions", {"learned"}},           {"input", {"frames"}},
          {"causal", {"false"}},           {"embedding_norm", {"false"}},        {"final_norm", {"true"}},
          {"pooling", std::move(poolings)}};
}

}  // namespace

/// Hugging Face's.
ModelFamily vit_family() {
  return {.name = "vit",
          .prefixes = {"vit.", ""},
          .names = {{"input", "@embeddings.patch_embeddings.projection.weight"},
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
          .facts = vit_facts({"first", "every"})};
}

ModelFamily timm_vit_family() {
  return {.name = "timm_vit",
          .prefixes = {""},
          .names = {{"input", "@patch_embed.proj.weight"},
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
          .facts = vit_facts({"first", "mean", "every"}),
          .refused = {{"@fc_norm.weight", "the mean over the patches comes before this norm, and before no norm here"}},
          .mean_skips_class_token = true};
}

ModelFamily kwt_family() {
  return {.name = "kwt",
          .prefixes = {""},
          .names = {{"input", "@patch_proj.weight"},
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
          .facts = {{"block.norm", {"layer_norm"}},
                    {"block.norm_placement", {"after"}},
                    {"block.activation", {"gelu_tanh"}},
                    {"block.gated", {"false"}},
                    {"positions", {"learned"}},
                    {"input", {"frames"}},
                    {"causal", {"false"}},
                    {"embedding_norm", {"false"}},
                    {"final_norm", {"false"}},
                    {"class_token", {"true"}},
                    {"pooling", {"first"}}}};
}

}  // namespace heed::tools
