// SPDX-License-Identifier: MIT
#include <cmath>
#include <optional>

#include "architectures/common_members.hpp"
#include "architectures/gpt_like.hpp"
#include "architectures/rotary_members.hpp"
#include "tensors/family_tables.hpp"

namespace heed::tools {

namespace {

struct GptSizes {
  std::uint32_t dim;
  std::uint32_t heads;
  std::uint32_t mlp_dim;
  std::uint32_t blocks;
  std::uint32_t vocabulary;
  std::uint32_t max_positions;
};

nlohmann::json architecture_of(const GptSizes& sizes, const PublishedConfig& config, const char* heads_member) {
  if (sizes.dim % sizes.heads != 0) throw config.refused(heads_member, "it does not divide the width of the rows");
  nlohmann::json architecture;
  architecture["block"] = {{"model_dim", sizes.dim},
                           {"heads", sizes.heads},
                           {"kv_heads", sizes.heads},
                           {"head_dim", sizes.dim / sizes.heads},
                           {"mlp_dim", sizes.mlp_dim},
                           {"norm_epsilon", 1e-5},
                           {"norm", "layer_norm"},
                           {"norm_placement", "before"},
                           {"gated", false}};
  architecture["blocks"] = sizes.blocks;
  architecture["input_dim"] = sizes.vocabulary;
  architecture["outputs"] = sizes.vocabulary;
  architecture["max_positions"] = sizes.max_positions;
  architecture["input"] = "tokens";
  architecture["causal"] = true;
  return architecture;
}

ModelFamily gpt_neox_family() {
  return {.name = "gpt_neox",
          .prefixes = {"gpt_neox.", ""},
          .names = {{"input", "@embed_in.weight"},
                    {"attention_norm", "@layers.{}.input_layernorm.weight"},
                    {"attention_norm_bias", "@layers.{}.input_layernorm.bias"},
                    {"qkv", "@layers.{}.attention.query_key_value.weight", false, false, RowOrder::by_head},
                    {"qkv_bias", "@layers.{}.attention.query_key_value.bias", false, false, RowOrder::by_head},
                    {"output", "@layers.{}.attention.dense.weight"},
                    {"output_bias", "@layers.{}.attention.dense.bias"},
                    {"mlp_norm", "@layers.{}.post_attention_layernorm.weight"},
                    {"mlp_norm_bias", "@layers.{}.post_attention_layernorm.bias"},
                    {"up", "@layers.{}.mlp.dense_h_to_4h.weight"},
                    {"up_bias", "@layers.{}.mlp.dense_h_to_4h.bias"},
                    {"down", "@layers.{}.mlp.dense_4h_to_h.weight"},
                    {"down_bias", "@layers.{}.mlp.dense_4h_to_h.bias"},
                    {"final_norm", "@final_layer_norm.weight"},
                    {"final_norm_bias", "@final_layer_norm.bias"},
                    {"head", "embed_out.weight"}},
          .facts = {},
          .buffers = {"@layers.{}.attention.bias", "@layers.{}.attention.masked_bias",
                      "@layers.{}.attention.rotary_emb.inv_freq"}};
}

ModelFamily opt_family() {
  return {.name = "opt",
          .prefixes = {"model.decoder.", "decoder."},
          .names = {{"input", "@embed_tokens.weight"},
                    {"positions", "@embed_positions.weight"},
                    {"attention_norm", "@layers.{}.self_attn_layer_norm.weight"},
                    {"attention_norm_bias", "@layers.{}.self_attn_layer_norm.bias"},
                    {"query", "@layers.{}.self_attn.q_proj.weight"},
                    {"query_bias", "@layers.{}.self_attn.q_proj.bias"},
                    {"key", "@layers.{}.self_attn.k_proj.weight"},
                    {"key_bias", "@layers.{}.self_attn.k_proj.bias"},
                    {"value", "@layers.{}.self_attn.v_proj.weight"},
                    {"value_bias", "@layers.{}.self_attn.v_proj.bias"},
                    {"output", "@layers.{}.self_attn.out_proj.weight"},
                    {"output_bias", "@layers.{}.self_attn.out_proj.bias"},
                    {"mlp_norm", "@layers.{}.final_layer_norm.weight"},
                    {"mlp_norm_bias", "@layers.{}.final_layer_norm.bias"},
                    {"up", "@layers.{}.fc1.weight"},
                    {"up_bias", "@layers.{}.fc1.bias"},
                    {"down", "@layers.{}.fc2.weight"},
                    {"down_bias", "@layers.{}.fc2.bias"},
                    {"final_norm", "@final_layer_norm.weight"},
                    {"final_norm_bias", "@final_layer_norm.bias"},
                    {"head", "lm_head.weight"}},
          .facts = {},
          .skipped_positions = 2};
}

}  // namespace

PublishedModel read_gpt2(PublishedConfig& config) {
  PublishedModel model{.name = take_class(config, "GPT2LMHeadModel"), .architecture = {}, .family = gpt2_family()};
  model.family.assumption = nullptr;
  leave_decoder_members(config);
  config.leave({"n_ctx", "summary_type", "summary_use_proj", "summary_activation", "summary_proj_to_labels",
                "summary_first_dropout", "reorder_and_upcast_attn"});
  const std::uint32_t dim = config.take_count("n_embd", 768);
  const std::uint32_t mlp_dim = config.take_optional_count("n_inner", std::nullopt).value_or(4 * dim);
  model.architecture = architecture_of({dim, config.take_count("n_head", 12), mlp_dim, config.take_count("n_layer", 12),
                                        config.take_count("vocab_size", 50257), config.take_count("n_positions", 1024)},
                                       config, "n_head");
  nlohmann::json& block = model.architecture["block"];
  block["norm_epsilon"] = take_positive(config, "layer_norm_epsilon", 1e-5);
  block["activation"] =
      activation_of(config, "activation_function", config.take_word("activation_function", "gelu_new"));
  model.architecture["positions"] = "learned";
  model.architecture["tied_head"] = config.take_flag("tie_word_embeddings", true);
  QueryScale& queries = model.family.query_scale;
  if (!config.take_flag("scale_attn_weights", true)) queries.scale = std::sqrt(block.at("head_dim").get<double>());
  queries.by_block = config.take_flag("scale_attn_by_inverse_layer_idx", false);
  return model;
}

PublishedModel read_gpt_neox(PublishedConfig& config) {
  PublishedModel model{
      .name = take_class(config, "GPTNeoXForCausalLM"), .architecture = {}, .family = gpt_neox_family()};
  leave_decoder_members(config);
  model.architecture =
      architecture_of({config.take_count("hidden_size", 6144), config.take_count("num_attention_heads", 64),
                       config.take_count("intermediate_size", 24576), config.take_count("num_hidden_layers", 44),
                       config.take_count("vocab_size", 50432), config.take_count("max_position_embeddings", 2048)},
                      config, "num_attention_heads");
  nlohmann::json& block = model.architecture["block"];
  block["norm_epsilon"] = take_positive(config, "layer_norm_eps", 1e-5);
  block["activation"] = activation_of(config, "hidden_act", config.take_word("hidden_act", "gelu"));
  if (config.take_flag("use_parallel_residual", true)) block["norm_placement"] = "parallel";
  if (!config.take_flag("attention_bias", true)) remove_names(model.family, {"qkv_bias", "output_bias"});
  model.architecture["tied_head"] = config.take_flag("tie_word_embeddings", false);
  take_rotary(config, block.at("head_dim"),
              {.fraction = 0.25, .base_member = "rotary_emb_base", .fraction_member = "rotary_pct"},
              model.architecture);
  return model;
}

PublishedModel read_opt(PublishedConfig& config) {
  PublishedModel model{.name = take_class(config, "OPTForCausalLM"), .architecture = {}, .family = opt_family()};
  leave_decoder_members(config);
  const std::uint32_t dim = config.take_count("hidden_size", 768);
  model.architecture =
      architecture_of({dim, config.take_count("num_attention_heads", 12), config.take_count("ffn_dim", 3072),
                       config.take_count("num_hidden_layers", 12), config.take_count("vocab_size", 50272),
                       config.take_count("max_position_embeddings", 2048)},
                      config, "num_attention_heads");
  nlohmann::json& block = model.architecture["block"];
  block["activation"] = activation_of(config, "activation_function", config.take_word("activation_function", "relu"));
  const bool before = config.take_flag("do_layer_norm_before", true);
  block["norm_placement"] = before ? "before" : "after";
  if (!before || config.take_flag("_remove_final_layer_norm", false)) {
    model.architecture["final_norm"] = false;
    remove_names(model.family, {"final_norm", "final_norm_bias"});
  }
  config.leave({"_remove_final_layer_norm"});
  if (const auto width = config.take_optional_count("word_embed_proj_dim", std::nullopt); width && *width != dim) {
    throw config.refused("word_embed_proj_dim", std::to_string(*width) + " is said, and hidden_size, " +
                                                    std::to_string(dim) + ", is supported");
  }
  if (!config.take_flag("enable_bias", true)) {
    remove_names(model.family, {"query_bias", "key_bias", "value_bias", "output_bias", "up_bias", "down_bias"});
  }
  config.require("layer_norm_elementwise_affine", {true});
  model.architecture["positions"] = "learned";
  model.architecture["tied_head"] = config.take_flag("tie_word_embeddings", true);
  return model;
}

}  // namespace heed::tools
