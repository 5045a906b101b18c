// SPDX-License-Identifier: MIT
#include "architectures/llama_like.hpp"

#include <cmath>

#include "architectures/common_members.hpp"
#include "tensors/family_tables.hpp"

namespace heed::tools {

PublishedModel take_llama_like(PublishedConfig& config, const DecoderDefaults& defaults) {
  PublishedModel model{.name = take_class(config, defaults.name), .architecture = {}, .family = llama_family()};
  model.family.name = defaults.type;
  model.family.assumption = nullptr;
  leave_decoder_members(config);
  nlohmann::json& architecture = model.architecture;
  const std::uint32_t dim = config.take_count("hidden_size", defaults.hidden_size);
  const std::uint32_t heads = config.take_count("num_attention_heads", defaults.num_attention_heads);
  const std::uint32_t kv_heads = defaults.num_key_value_heads != 0 ? defaults.num_key_value_heads : heads;
  const std::uint32_t vocabulary = config.take_count("vocab_size", defaults.vocab_size);
  std::uint32_t head_dim = defaults.head_dim;
  if (const auto said = config.take_optional_count("head_dim", std::nullopt)) {
    head_dim = *said;
  } else if (head_dim == 0) {
    if (dim % heads != 0) throw config.refused("num_attention_heads", "it does not divide hidden_size");
    head_dim = dim / heads;
  }
  const std::uint32_t groups = config.take_optional_count("num_key_value_heads", kv_heads).value_or(heads);
  if (heads % groups != 0) {
    throw config.refused("num_key_value_heads",
                         std::to_string(groups) + " does not divide num_attention_heads, " + std::to_string(heads));
  }
  const std::string activation = config.take_word(defaults.activation_member, defaults.activation);
  architecture["block"] = {{"model_dim", dim},
                           {"heads", heads},
                           {"kv_heads", groups},
                           {"head_dim", head_dim},
                           {"mlp_dim", config.take_count("intermediate_size", defaults.intermediate_size)},
                           {"norm_epsilon", take_positive(config, "rms_norm_eps", defaults.rms_norm_eps)},
                           {"norm", "rms_norm"},
                           {"norm_placement", "before"},
                           {"activation", activation_of(config, defaults.activation_member, activation)},
                           {"gated", true}};
  architecture["blocks"] = take_layers(config, "num_hidden_layers", defaults.num_hidden_layers);
  architecture["input_dim"] = vocabulary;
  architecture["outputs"] = vocabulary;
  architecture["max_positions"] = config.take_count("max_position_embeddings", defaults.max_position_embeddings);
  architecture["input"] = "tokens";
  architecture["causal"] = true;
  architecture["tied_head"] = config.take_flag("tie_word_embeddings", defaults.tie_word_embeddings);
  return model;
}

std::uint32_t head_dim_of(const PublishedModel& model) {
  return model.architecture.at("block").at("head_dim");
}

std::uint32_t blocks_of(const PublishedModel& model) {
  return model.architecture.at("blocks");
}

void take_biases(PublishedConfig& config, PublishedModel& model, bool of_mlp) {
  if (!config.take_flag("attention_bias", false)) {
    remove_names(model.family, {"query_bias", "key_bias", "value_bias", "output_bias"});
  }
  if (!of_mlp || !config.take_flag("mlp_bias", false)) {
    remove_names(model.family, {"gate_bias", "up_bias", "down_bias"});
  }
}

void scale_scores(PublishedModel& model, double multiplier) {
  const double scale = multiplier * std::sqrt(static_cast<double>(head_dim_of(model)));
  const bool normed = model.architecture.at("block").contains("qk_norm");
  if (normed) {
    fold(model.family, "query_norm", scale);
  } else {
    model.family.query_scale.scale = scale;
  }
}

}  // namespace heed::tools
