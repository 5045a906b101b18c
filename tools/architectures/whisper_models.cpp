// SPDX-License-Identifier: MIT
#include "architectures/common_members.hpp"
#include "architectures/encoder_ends.hpp"
#include "architectures/pair_models.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

ModelFamily whisper_decoder_family() {
  return {.name = "whisper",
          .prefixes = {"model.decoder.", "decoder."},
          .names = {{"input", "@embed_tokens.weight"},
                    {"positions", "@embed_positions.weight"},
                    {"attention_norm", "@layers.{}.self_attn_layer_norm.weight"},
                    {"attention_norm_bias", "@layers.{}.self_attn_layer_norm.bias"},
                    {"query", "@layers.{}.self_attn.q_proj.weight"},
                    {"query_bias", "@layers.{}.self_attn.q_proj.bias"},
                    {"key", "@layers.{}.self_attn.k_proj.weight"},
                    {"value", "@layers.{}.self_attn.v_proj.weight"},
                    {"value_bias", "@layers.{}.self_attn.v_proj.bias"},
                    {"output", "@layers.{}.self_attn.out_proj.weight"},
                    {"output_bias", "@layers.{}.self_attn.out_proj.bias"},
                    {"cross_norm", "@layers.{}.encoder_attn_layer_norm.weight"},
                    {"cross_norm_bias", "@layers.{}.encoder_attn_layer_norm.bias"},
                    {"cross_query", "@layers.{}.encoder_attn.q_proj.weight"},
                    {"cross_query_bias", "@layers.{}.encoder_attn.q_proj.bias"},
                    {"cross_key", "@layers.{}.encoder_attn.k_proj.weight"},
                    {"cross_value", "@layers.{}.encoder_attn.v_proj.weight"},
                    {"cross_value_bias", "@layers.{}.encoder_attn.v_proj.bias"},
                    {"cross_output", "@layers.{}.encoder_attn.out_proj.weight"},
                    {"cross_output_bias", "@layers.{}.encoder_attn.out_proj.bias"},
                    {"mlp_norm", "@layers.{}.final_layer_norm.weight"},
                    {"mlp_norm_bias", "@layers.{}.final_layer_norm.bias"},
                    {"up", "@layers.{}.fc1.weight"},
                    {"up_bias", "@layers.{}.fc1.bias"},
                    {"down", "@layers.{}.fc2.weight"},
                    {"down_bias", "@layers.{}.fc2.bias"},
                    {"final_norm", "@layer_norm.weight"},
                    {"final_norm_bias", "@layer_norm.bias"},
                    {"head", "proj_out.weight"}},
          .facts = {},
          .other_parts = {"model.encoder.", "encoder."}};
}

}  // namespace

PublishedModel read_whisper(PublishedConfig& config, const std::string& part) {
  const EncoderClass chosen = take_encoder_class(config, {{"WhisperForConditionalGeneration", EncoderEnd::tokens}});
  if (part.empty()) throw Failure("--part is required: " + chosen.name + " has encoder, decoder");
  if (choose_part(part, {"encoder", "decoder"}, chosen.name) == "encoder") {
    throw config.refused("encoder_layers",
                         "the encoder begins with convolutions, which are not supported; --part "
                         "decoder is");
  }
  PublishedModel model{.name = chosen.name + ", decoder", .architecture = {}, .family = whisper_decoder_family()};
  const std::uint32_t dim = config.take_count("d_model", 384);
  const std::uint32_t heads = config.take_count("decoder_attention_heads", 6);
  if (dim % heads != 0) throw config.refused("decoder_attention_heads", "it does not divide d_model");
  const std::string activation = config.take_word("activation_function", "gelu");
  const std::uint32_t vocabulary = config.take_count("vocab_size", 51865);
  model.architecture["block"] = {{"model_dim", dim},
                                 {"heads", heads},
                                 {"kv_heads", heads},
                                 {"head_dim", dim / heads},
                                 {"mlp_dim", config.take_count("decoder_ffn_dim", 1536)},
                                 {"cross_dim", dim},
                                 {"norm", "layer_norm"},
                                 {"norm_placement", "before"},
                                 {"norm_epsilon", 1e-5},
                                 {"activation", activation_of(config, "activation_function", activation)},
                                 {"gated", false}};
  model.architecture["blocks"] = config.take_count("decoder_layers", 4);
  model.architecture["input_dim"] = vocabulary;
  model.architecture["outputs"] = vocabulary;
  model.architecture["max_positions"] = config.take_count("max_target_positions", 448);
  model.architecture["input"] = "tokens";
  model.architecture["causal"] = true;
  model.architecture["positions"] = "learned";
  model.architecture["tied_head"] = true;
  config.require("tie_word_embeddings", {true});
  config.require("scale_embedding", {false});
  config.require("is_encoder_decoder", {true});
  leave_common_members(config);
  // Of the encoder, and of training.
  config.leave({"encoder_layers",
                "encoder_attention_heads",
                "encoder_ffn_dim",
                "num_mel_bins",
                "max_source_positions",
                "num_hidden_layers",
                "encoder_layerdrop",
                "decoder_layerdrop",
                "apply_spec_augment",
                "mask_time_prob",
                "mask_time_length",
                "mask_time_min_masks",
                "mask_feature_prob",
                "mask_feature_length",
                "mask_feature_min_masks",
                "median_filter_width",
                "classifier_proj_size",
                "use_weighted_layer_sum",
                "forced_decoder_ids",
                "lang_ids",
                "task_ids"});
  return model;
}

}  // namespace heed::tools
