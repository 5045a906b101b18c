// SPDX-License-Identifier: MIT
#include "architectures/image_models.hpp"

#include "architectures/common_members.hpp"
#include "architectures/encoder_ends.hpp"
#include "tensors/family_tables.hpp"

namespace heed::tools {

namespace {

constexpr PoolerNames vit_pooler{"tanh", "@pooler.dense.weight", "@pooler.dense.bias"};

/// `before` rows stand before those of the patches, each with a position.
nlohmann::json image_architecture(PublishedConfig& config, std::uint32_t before) {
  const std::uint32_t dim = config.take_count("hidden_size", 768);
  const std::uint32_t heads = config.take_count("num_attention_heads", 12);
  if (dim % heads != 0) throw config.refused("num_attention_heads", "it does not divide hidden_size");
  const std::uint32_t image = config.take_count("image_size", 224);
  const std::uint32_t patch = config.take_count("patch_size", 16);
  if (image > 65536 || image % patch != 0) throw config.refused("image_size", "a multiple of patch_size is needed");
  const std::uint32_t channels = config.take_count("num_channels", 3);
  if (channels > 65536) throw config.refused("num_channels", "at most 65536 are supported");
  nlohmann::json architecture;
  architecture["block"] = {{"model_dim", dim},
                           {"heads", heads},
                           {"kv_heads", heads},
                           {"head_dim", dim / heads},
                           {"mlp_dim", config.take_count("intermediate_size", 3072)},
                           {"norm", "layer_norm"},
                           {"norm_placement", "before"},
                           {"norm_epsilon", take_positive(config, "layer_norm_eps", 1e-12)},
                           {"activation", activation_of(config, "hidden_act", config.take_word("hidden_act", "gelu"))},
                           {"gated", false}};
  architecture["blocks"] = config.take_count("num_hidden_layers", 12);
  architecture["input_dim"] = std::uint64_t{channels} * patch * patch;
  architecture["max_positions"] = std::uint64_t{image / patch} * (image / patch) + before;
  architecture["input"] = "frames";
  architecture["causal"] = false;
  architecture["positions"] = "learned";
  architecture["class_token"] = true;
  architecture["final_norm"] = true;
  return architecture;
}

PublishedModel take_vit(PublishedConfig& config, const std::string& part, const std::string& name,
                        std::uint32_t registers, ModelFamily family) {
  const EncoderClass chosen = take_encoder_class(
      config, {{name + "ForImageClassification", EncoderEnd::image}, {name + "Model", EncoderEnd::rows}});
  PublishedModel model{.name = chosen.name, .architecture = {}, .family = std::move(family)};
  model.architecture = image_architecture(config, 1 + registers);
  if (!config.take_flag("qkv_bias", true)) remove_names(model.family, {"query_bias", "key_bias", "value_bias"});
  add_encoder_end(config, chosen.end, part, chosen.end == EncoderEnd::rows ? &vit_pooler : nullptr, nullptr, model);
  if (model.architecture.contains("pooler")) {
    config.require("pooler_act", {"tanh"});
    config.require("pooler_output_size", {model.architecture.at("block").at("model_dim")});
  }
  leave_common_members(config);
  config.leave({"pooler_act", "pooler_output_size", "hidden_dropout_prob", "attention_probs_dropout_prob",
                "encoder_stride", "tie_word_embeddings"});
  model.notes.push_back("frames are patches, [channels, height, width]");
  return model;
}

}  // namespace

PublishedModel read_vit(PublishedConfig& config, const std::string& part) {
  return take_vit(config, part, "ViT", 0, vit_family());
}

/// The distillation token is a row like the class token, and read by the head of its own alone, which is another class.
PublishedModel read_deit(PublishedConfig& config, const std::string& part) {
  ModelFamily family = vit_family();
  family.name = "deit";
  family.prefixes = {"deit.", ""};
  family.names.push_back({"register_tokens", "@embeddings.distillation_token"});
  PublishedModel model = take_vit(config, part, "DeiT", 1, std::move(family));
  model.architecture["registers"] = 1U;
  return model;
}

}  // namespace heed::tools
