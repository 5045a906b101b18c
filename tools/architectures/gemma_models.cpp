// SPDX-License-Identifier: MIT
//
// Gemma: norms that multiply by 1 + weight, embeddings that are scaled, and from the second on norms on both sides of
// attention and MLP, windows by layer and capped scores.
#include <cmath>
#include <optional>

#include "architectures/common_members.hpp"
#include "architectures/layer_patterns.hpp"
#include "architectures/llama_like.hpp"
#include "architectures/rotary_members.hpp"

namespace heed::tools {

namespace {

constexpr const char* tanh_gelu = "gelu_pytorch_tanh";

PublishedModel take_gemma(PublishedConfig& config, const DecoderDefaults& defaults) {
  PublishedModel model = take_llama_like(config, defaults);
  take_biases(config, model, false);
  config.require("use_bidirectional_attention", {false});
  const auto dim = model.architecture.at("block").at("model_dim").get<double>();
  // The library rounds this to the type that the embeddings have in memory: here they are float32.
  model.architecture["embedding_scale"] = std::sqrt(dim);
  model.notes.push_back("embedding_scale is sqrt(hidden_size) in float32, as the library has it for a float32 model");
  return model;
}

void add_outer_norms(PublishedModel& model) {
  model.architecture["block"]["norm_placement"] = "both";
  remove_names(model.family, {"mlp_norm"});
  for (const FamilyName& name : {FamilyName{"attention_output_norm", "@layers.{}.post_attention_layernorm.weight"},
                                 FamilyName{"mlp_norm", "@layers.{}.pre_feedforward_layernorm.weight"},
                                 FamilyName{"mlp_output_norm", "@layers.{}.post_feedforward_layernorm.weight"}}) {
    model.family.names.push_back(name);
  }
  std::erase_if(model.family.facts,
                [](const FamilyFact& fact) { return std::string_view(fact.member) == "block.norm_placement"; });
}

void add_one_to_norms(PublishedModel& model) {
  for (const char* norm : {"attention_norm", "attention_output_norm", "mlp_norm", "mlp_output_norm", "final_norm",
                           "query_norm", "key_norm"}) {
    fold(model.family, norm, 1.0, 1.0);
  }
}

void take_softcaps(PublishedConfig& config, std::optional<double> scores, std::optional<double> logits,
                   PublishedModel& model) {
  const auto put = [&](nlohmann::json& place, const char* name, const char* member, std::optional<double> by_default) {
    const std::optional<double> cap = config.take_optional_number(member, by_default);
    if (cap && !(*cap > 0.0)) throw config.refused(member, "a positive number, or null, is needed");
    if (cap) place[name] = *cap;
  };
  put(model.architecture["block"], "score_softcap", "attn_logit_softcapping", scores);
  put(model.architecture, "output_softcap", "final_logit_softcapping", logits);
}

/// Every n-th layer sees everything, the others have the window.
void take_periodic_windows(PublishedConfig& config, std::uint32_t period, PublishedModel& model) {
  std::vector<bool> windowed(blocks_of(model));
  for (std::size_t block = 0; block < windowed.size(); ++block) windowed[block] = (block + 1) % period != 0;
  take_window(config, config.take_optional_count("sliding_window", 4096), std::move(windowed), "sliding_window_pattern",
              no_window, model.architecture);
}

}  // namespace

PublishedModel read_gemma(PublishedConfig& config) {
  const std::string newer = config.says("hidden_activation") ? config.take_word("hidden_activation", "") : "";
  config.require("hidden_activation", {});
  PublishedModel model = take_gemma(config, {.type = "gemma",
                                             .name = "GemmaForCausalLM",
                                             .vocab_size = 256000,
                                             .hidden_size = 3072,
                                             .intermediate_size = 24576,
                                             .num_hidden_layers = 28,
                                             .num_attention_heads = 16,
                                             .num_key_value_heads = 16,
                                             .head_dim = 256,
                                             .max_position_embeddings = 8192,
                                             .tie_word_embeddings = true,
                                             .activation = tanh_gelu});
  if (model.architecture["block"]["activation"] != "gelu_tanh") {
    throw config.refused("hidden_act",
                         "releases of the library differ in what they make of it; gelu_pytorch_tanh is "
                         "supported");
  }
  if (!newer.empty() && activation_of(config, "hidden_activation", newer) != "gelu_tanh") {
    throw config.refused("hidden_activation", newer + " is said, and hidden_act says another one");
  }
  add_one_to_norms(model);
  take_rotary(config, head_dim_of(model), {}, model.architecture);
  return model;
}

PublishedModel read_gemma2(PublishedConfig& config) {
  config.leave({"hidden_act"});  // hidden_activation is what counts
  PublishedModel model = take_gemma(config, {.type = "gemma2",
                                             .name = "Gemma2ForCausalLM",
                                             .vocab_size = 256000,
                                             .hidden_size = 2304,
                                             .intermediate_size = 9216,
                                             .num_hidden_layers = 26,
                                             .num_attention_heads = 8,
                                             .num_key_value_heads = 4,
                                             .head_dim = 256,
                                             .max_position_embeddings = 8192,
                                             .tie_word_embeddings = true,
                                             .activation_member = "hidden_activation",
                                             .activation = tanh_gelu});
  add_outer_norms(model);
  add_one_to_norms(model);
  take_softcaps(config, 50.0, 30.0, model);
  scale_scores(model, 1.0 / std::sqrt(take_positive(config, "query_pre_attn_scalar", 256.0)));
  take_rotary(config, head_dim_of(model), {}, model.architecture);
  take_periodic_windows(config, 2, model);
  return model;
}

PublishedModel read_gemma3(PublishedConfig& config) {
  config.leave({"hidden_act"});
  PublishedModel model = take_gemma(config, {.type = "gemma3_text",
                                             .name = "Gemma3ForCausalLM",
                                             .vocab_size = 262208,
                                             .hidden_size = 2304,
                                             .intermediate_size = 9216,
                                             .num_hidden_layers = 26,
                                             .num_attention_heads = 8,
                                             .num_key_value_heads = 4,
                                             .head_dim = 256,
                                             .max_position_embeddings = 131072,
                                             .tie_word_embeddings = true,
                                             .activation_member = "hidden_activation",
                                             .activation = tanh_gelu});
  add_outer_norms(model);
  model.architecture["block"]["qk_norm"] = "heads";
  model.family.names.push_back({"query_norm", "@layers.{}.self_attn.q_norm.weight"});
  model.family.names.push_back({"key_norm", "@layers.{}.self_attn.k_norm.weight"});
  add_one_to_norms(model);
  take_softcaps(config, std::nullopt, std::nullopt, model);
  scale_scores(model, 1.0 / std::sqrt(take_positive(config, "query_pre_attn_scalar", 256.0)));
  take_two_rotaries(config, head_dim_of(model), {.base = 1000000.0}, 10000.0, model.architecture);
  const std::uint32_t pattern = config.take_count("sliding_window_pattern", 6);
  if (config.says("layer_types")) config.leave({"_sliding_window_pattern"});
  config.unread("_sliding_window_pattern", pattern, "sliding_window_pattern, " + std::to_string(pattern) + ", counts");
  take_periodic_windows(config, pattern, model);
  if (!model.architecture.contains("window")) model.architecture.erase("local_rotary_base");
  return model;
}

}  // namespace heed::tools
