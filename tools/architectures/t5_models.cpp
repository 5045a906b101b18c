// SPDX-License-Identifier: MIT
#include <cmath>

#include "architectures/common_members.hpp"
#include "architectures/encoder_ends.hpp"
#include "architectures/pair_models.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

std::vector<FamilyName> t5_attention_names() {
  return {{"input", "shared.weight"},
          {"attention_norm", "@block.{}.layer.0.layer_norm.weight"},
          {"query", "@block.{}.layer.0.SelfAttention.q.weight"},
          {"key", "@block.{}.layer.0.SelfAttention.k.weight"},
          {"value", "@block.{}.layer.0.SelfAttention.v.weight"},
          {"output", "@block.{}.layer.0.SelfAttention.o.weight"},
          {"relative_bias", "@block.0.layer.0.SelfAttention.relative_attention_bias.weight", true},
          {"final_norm", "@final_layer_norm.weight"}};
}

ModelFamily t5_encoder_family() {
  ModelFamily family{.name = "t5",
                     .prefixes = {"encoder."},
                     .names = t5_attention_names(),
                     .facts = {},
                     .buffers = {"encoder.embed_tokens.weight"},
                     .other_parts = {"decoder.", "lm_head."}};
  for (const FamilyName& name : {FamilyName{"mlp_norm", "@block.{}.layer.1.layer_norm.weight"},
                                 FamilyName{"gate", "@block.{}.layer.1.DenseReluDense.wi_0.weight"},
                                 FamilyName{"up", "@block.{}.layer.1.DenseReluDense.wi_1.weight"},
                                 FamilyName{"down", "@block.{}.layer.1.DenseReluDense.wo.weight"}}) {
    family.names.push_back(name);
  }
  return family;
}

ModelFamily t5_decoder_family() {
  ModelFamily family{.name = "t5",
                     .prefixes = {"decoder."},
                     .names = t5_attention_names(),
                     .facts = {},
                     // The bias of cross-attention is one that no layer reads.
                     .buffers = {"decoder.embed_tokens.weight",
                                 "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
                     .other_parts = {"encoder."}};
  for (const FamilyName& name :
       {FamilyName{"cross_norm", "@block.{}.layer.1.layer_norm.weight"},
        FamilyName{"cross_query", "@block.{}.layer.1.EncDecAttention.q.weight"},
        FamilyName{"cross_key", "@block.{}.layer.1.EncDecAttention.k.weight"},
        FamilyName{"cross_value", "@block.{}.layer.1.EncDecAttention.v.weight"},
        FamilyName{"cross_output", "@block.{}.layer.1.EncDecAttention.o.weight"},
        FamilyName{"mlp_norm", "@block.{}.layer.2.layer_norm.weight"},
        FamilyName{"gate", "@block.{}.layer.2.DenseReluDense.wi_0.weight"},
        FamilyName{"up", "@block.{}.layer.2.DenseReluDense.wi_1.weight"},
        FamilyName{"down", "@block.{}.layer.2.DenseReluDense.wo.weight"}, FamilyName{"head", "lm_head.weight"}}) {
    family.names.push_back(name);
  }
  return family;
}

/// "relu" is a plain MLP, "gated-silu" a gated one; "gated-gelu" is the approximation.
void take_t5_mlp(PublishedConfig& config, PublishedModel& model) {
  const std::string said = config.take_word("feed_forward_proj", "relu");
  const std::string prefix = "gated-";
  const bool gated = said.rfind(prefix, 0) == 0;
  std::string word = gated ? said.substr(prefix.size()) : said;
  if (gated && word == "gelu") word = "gelu_new";
  nlohmann::json& block = model.architecture["block"];
  block["gated"] = gated;
  block["activation"] = activation_of(config, "feed_forward_proj", word);
  config.require("is_gated_act", {gated});
  config.require("dense_act_fn", {word});
  if (gated) return;
  remove_names(model.family, {"gate"});
  for (FamilyName& name : model.family.names) {
    if (std::string_view(name.role) != "up") continue;
    name.pattern = model.family.prefixes.front() == std::string_view("encoder.")
                       ? "@block.{}.layer.1.DenseReluDense.wi.weight"
                       : "@block.{}.layer.2.DenseReluDense.wi.weight";
  }
}

}  // namespace

PublishedModel read_t5(PublishedConfig& config, const std::string& part) {
  const EncoderClass chosen = take_encoder_class(
      config, {{"T5ForConditionalGeneration", EncoderEnd::tokens}, {"T5EncoderModel", EncoderEnd::rows}});
  const bool both = chosen.end == EncoderEnd::tokens;
  if (both && part.empty()) throw Failure("--part is required: " + chosen.name + " has encoder, decoder");
  const bool decoder =
      choose_part(part, both ? std::vector<std::string>{"encoder", "decoder"} : std::vector<std::string>{"encoder"},
                  chosen.name) == "decoder";
  PublishedModel model{.name = chosen.name + (decoder ? ", decoder" : ", encoder"),
                       .architecture = {},
                       .family = decoder ? t5_decoder_family() : t5_encoder_family()};
  const std::uint32_t dim = config.take_count("d_model", 512);
  const std::uint32_t head_dim = config.take_count("d_kv", 64);
  const std::uint32_t heads = config.take_count("num_heads", 8);
  const std::uint32_t vocabulary = config.take_count("vocab_size", 32128);
  model.architecture["block"] = {{"model_dim", dim},
                                 {"heads", heads},
                                 {"kv_heads", heads},
                                 {"head_dim", head_dim},
                                 {"mlp_dim", config.take_count("d_ff", 2048)},
                                 {"norm", "rms_norm"},
                                 {"norm_placement", "before"},
                                 {"norm_epsilon", take_positive(config, "layer_norm_epsilon", 1e-6)}};
  take_t5_mlp(config, model);
  const std::uint32_t layers = config.take_count("num_layers", 6);
  const std::uint32_t decoder_layers = config.take_optional_count("num_decoder_layers", layers).value_or(layers);
  model.architecture["blocks"] = decoder ? decoder_layers : layers;
  model.architecture["input_dim"] = vocabulary;
  model.architecture["max_positions"] = config.take_count("n_positions", 512);
  model.architecture["input"] = "tokens";
  model.architecture["causal"] = decoder;
  model.architecture["positions"] = "none";
  const std::uint32_t buckets = config.take_count("relative_attention_num_buckets", 32);
  const std::uint32_t distance = config.take_count("relative_attention_max_distance", 128);
  if (buckets < 4 || distance <= buckets / (decoder ? 2 : 4)) {
    throw config.refused("relative_attention_max_distance",
                         std::to_string(distance) + " is too near for " + std::to_string(buckets) + " buckets");
  }
  model.architecture["relative_buckets"] = buckets;
  model.architecture["relative_distance"] = distance;
  // Its scores have no scale, and ours 1 / sqrt(head_dim).
  model.family.query_scale.scale = std::sqrt(static_cast<double>(head_dim));
  const bool tied = config.take_flag("tie_word_embeddings", true);
  if (decoder) {
    model.architecture["block"]["cross_dim"] = dim;
    model.architecture["outputs"] = vocabulary;
    model.architecture["tied_head"] = tied;
    // Release 5 writes this, and releases before it take the head's being tied for it.
    const bool scaled = config.take_flag("scale_decoder_outputs", tied);
    if (scaled) fold(model.family, "final_norm", 1.0 / std::sqrt(static_cast<double>(dim)));
  } else {
    model.architecture["pooling"] = "every";
    config.leave({"scale_decoder_outputs"});
  }
  // Of an encoder that was saved alone the configuration may be that of both.
  if (both) {
    config.require("is_encoder_decoder", {true});
  } else {
    config.leave({"is_encoder_decoder"});
  }
  leave_common_members(config);
  config.leave({"dropout_rate", "initializer_factor"});
  return model;
}

}  // namespace heed::tools
