// SPDX-License-Identifier: MIT
#include "architectures/common_members.hpp"
#include "architectures/encoder_ends.hpp"
#include "architectures/pair_models.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr double whisper_epsilon = 1e-5;  // that of nn.LayerNorm; no member says it

/// Of both parts.
std::vector<FamilyName> whisper_block_names() {
  return {{"positions", "@embed_positions.weight"},
          {"attention_norm", "@layers.{}.self_attn_layer_norm.weight"},
          {"attention_norm_bias", "@layers.{}.self_attn_layer_norm.bias"},
          {"query", "@layers.{}.self_attn.q_proj.weight"},
          {"query_bias", "@layers.{}.self_attn.q_proj.bias"},
          {"key", "@layers.{}.self_attn.k_proj.weight"},
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
          {"final_norm", "@layer_norm.weight"},
          {"final_norm_bias", "@layer_norm.bias"}};
}

ModelFamily whisper_encoder_family() {
  ModelFamily family{.name = "whisper",
                     .prefixes = {"model.encoder.", "encoder."},
                     .names = whisper_block_names(),
                     .facts = {},
                     .other_parts = {"model.decoder.", "decoder.", "proj_out."}};
  family.names.push_back({"input", "@conv1.weight"});
  family.names.push_back({"input_bias", "@conv1.bias"});
  family.names.push_back({"second_input", "@conv2.weight"});
  family.names.push_back({"second_input_bias", "@conv2.bias"});
  return family;
}

ModelFamily whisper_decoder_family() {
  ModelFamily family{.name = "whisper",
                     .prefixes = {"model.decoder.", "decoder."},
                     .names = whisper_block_names(),
                     .facts = {},
                     .other_parts = {"model.encoder.", "encoder."}};
  for (const FamilyName& name : {FamilyName{"input", "@embed_tokens.weight"},
                                 FamilyName{"cross_norm", "@layers.{}.encoder_attn_layer_norm.weight"},
                                 FamilyName{"cross_norm_bias", "@layers.{}.encoder_attn_layer_norm.bias"},
                                 FamilyName{"cross_query", "@layers.{}.encoder_attn.q_proj.weight"},
                                 FamilyName{"cross_query_bias", "@layers.{}.encoder_attn.q_proj.bias"},
                                 FamilyName{"cross_key", "@layers.{}.encoder_attn.k_proj.weight"},
                                 FamilyName{"cross_value", "@layers.{}.encoder_attn.v_proj.weight"},
                                 FamilyName{"cross_value_bias", "@layers.{}.encoder_attn.v_proj.bias"},
                                 FamilyName{"cross_output", "@layers.{}.encoder_attn.out_proj.weight"},
                                 FamilyName{"cross_output_bias", "@layers.{}.encoder_attn.out_proj.bias"},
                                 FamilyName{"head", "proj_out.weight"}}) {
    family.names.push_back(name);
  }
  return family;
}

/// Members of one part, and those of the other, which say nothing about it.
struct WhisperMembers {
  const char* layers;
  const char* heads;
  const char* mlp_dim;
};
constexpr WhisperMembers whisper_encoder{"encoder_layers", "encoder_attention_heads", "encoder_ffn_dim"};
constexpr WhisperMembers whisper_decoder{"decoder_layers", "decoder_attention_heads", "decoder_ffn_dim"};

nlohmann::json whisper_architecture(PublishedConfig& config, const WhisperMembers& members,
                                    const WhisperMembers& others) {
  const std::uint32_t dim = config.take_count("d_model", 384);
  const std::uint32_t heads = config.take_count(members.heads, 6);
  if (dim % heads != 0) throw config.refused(members.heads, "it does not divide d_model");
  const std::string activation = config.take_word("activation_function", "gelu");
  nlohmann::json architecture;
  architecture["block"] = {{"model_dim", dim},
                           {"heads", heads},
                           {"kv_heads", heads},
                           {"head_dim", dim / heads},
                           {"mlp_dim", config.take_count(members.mlp_dim, 1536)},
                           {"norm", "layer_norm"},
                           {"norm_placement", "before"},
                           {"norm_epsilon", whisper_epsilon},
                           {"activation", activation_of(config, "activation_function", activation)},
                           {"gated", false}};
  architecture["blocks"] = config.take_count(members.layers, 4);
  architecture["positions"] = "learned";
  config.leave({others.layers, others.heads, others.mlp_dim});
  return architecture;
}

void take_whisper_encoder(PublishedConfig& config, nlohmann::json& architecture) {
  architecture["input"] = "convolutions";
  architecture["input_dim"] = config.take_count("num_mel_bins", 80);
  architecture["max_positions"] = config.take_count("max_source_positions", 1500);
  architecture["causal"] = false;
  architecture["pooling"] = "every";
  config.leave({"vocab_size", "max_target_positions", "tie_word_embeddings", "scale_embedding"});
}

void take_whisper_decoder(PublishedConfig& config, nlohmann::json& architecture) {
  const std::uint32_t vocabulary = config.take_count("vocab_size", 51865);
  architecture["block"]["cross_dim"] = architecture.at("block").at("model_dim");
  architecture["input"] = "tokens";
  architecture["input_dim"] = vocabulary;
  architecture["outputs"] = vocabulary;
  architecture["max_positions"] = config.take_count("max_target_positions", 448);
  architecture["causal"] = true;
  architecture["tied_head"] = true;
  config.require("tie_word_embeddings", {true});
  config.require("scale_embedding", {false});
  config.leave({"num_mel_bins", "max_source_positions"});
}

}  // namespace

PublishedModel read_whisper(PublishedConfig& config, const std::string& part) {
  const EncoderClass chosen = take_encoder_class(config, {{"WhisperForConditionalGeneration", EncoderEnd::tokens}});
  if (part.empty()) throw Failure("--part is required: " + chosen.name + " has encoder, decoder");
  const bool decoder = choose_part(part, {"encoder", "decoder"}, chosen.name) == "decoder";
  PublishedModel model{.name = chosen.name + (decoder ? ", decoder" : ", encoder"),
                       .architecture = {},
                       .family = decoder ? whisper_decoder_family() : whisper_encoder_family()};
  if (decoder) {
    model.architecture = whisper_architecture(config, whisper_decoder, whisper_encoder);
    take_whisper_decoder(config, model.architecture);
  } else {
    model.architecture = whisper_architecture(config, whisper_encoder, whisper_decoder);
    take_whisper_encoder(config, model.architecture);
  }
  config.require("is_encoder_decoder", {true});
  leave_common_members(config);
  // A copy of encoder_layers, and what training has.
  config.leave({"num_hidden_layers", "encoder_layerdrop", "decoder_layerdrop", "apply_spec_augment", "mask_time_prob",
                "mask_time_length", "mask_time_min_masks", "mask_feature_prob", "mask_feature_length",
                "mask_feature_min_masks", "median_filter_width", "classifier_proj_size", "use_weighted_layer_sum",
                "forced_decoder_ids", "lang_ids", "task_ids"});
  return model;
}

}  // namespace heed::tools
