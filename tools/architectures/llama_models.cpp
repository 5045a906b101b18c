// SPDX-License-Identifier: MIT
//
// Llama, and the decoders that are Llama but for a few members.
#include <optional>
#include <string_view>

#include "architectures/common_members.hpp"
#include "architectures/layer_patterns.hpp"
#include "architectures/llama_like.hpp"
#include "architectures/rotary_members.hpp"

namespace heed::tools {

namespace {

/// Every layer has the window, or none.
void take_one_window(PublishedConfig& config, std::optional<std::uint32_t> by_default, PublishedModel& model) {
  const std::optional<std::uint32_t> window = config.take_optional_count("sliding_window", by_default);
  if (window) model.architecture["window"] = *window;
}

constexpr const char* no_use = "use_sliding_window is false";

/// Layers from `max_window_layers` on have the window, or those that `layer_types` names.
void take_late_windows(PublishedConfig& config, PublishedModel& model) {
  const bool used = config.take_flag("use_sliding_window", false);
  std::optional<std::uint32_t> window = config.take_optional_count("sliding_window", 4096);
  const double first = config.take_optional_number("max_window_layers", 28.0).value_or(28.0);
  if (!used) window.reset();
  std::vector<bool> windowed(blocks_of(model));
  for (std::size_t block = 0; block < windowed.size(); ++block) {
    windowed[block] = window && static_cast<double>(block) >= first;
  }
  take_window(config, window, std::move(windowed), "max_window_layers", used ? no_window : no_use, model.architecture);
}

void add_qk_norm(PublishedModel& model) {
  model.architecture["block"]["qk_norm"] = "heads";
  model.family.names.push_back({"query_norm", "@layers.{}.self_attn.q_norm.weight"});
  model.family.names.push_back({"key_norm", "@layers.{}.self_attn.k_norm.weight"});
}

}  // namespace

PublishedModel read_llama(PublishedConfig& config) {
  PublishedModel model = take_llama_like(config, {.type = "llama", .name = "LlamaForCausalLM"});
  take_biases(config, model, true);
  take_rotary(config, head_dim_of(model), {}, model.architecture);
  // Of converters to this layout; rotation is in halves whatever they say.
  config.require("rope_interleaved", {false});
  config.leave({"is_llama_config"});
  return model;
}

PublishedModel read_mistral(PublishedConfig& config) {
  PublishedModel model = take_llama_like(config, {.type = "mistral",
                                                  .name = "MistralForCausalLM",
                                                  .intermediate_size = 14336,
                                                  .num_key_value_heads = 8,
                                                  .max_position_embeddings = 131072});
  remove_names(model.family, {"_bias"});
  take_rotary(config, head_dim_of(model), {}, model.architecture);
  take_one_window(config, 4096, model);
  return model;
}

PublishedModel read_qwen2(PublishedConfig& config) {
  PublishedModel model = take_llama_like(config, {.type = "qwen2",
                                                  .name = "Qwen2ForCausalLM",
                                                  .vocab_size = 151936,
                                                  .intermediate_size = 22016,
                                                  .num_key_value_heads = 32,
                                                  .max_position_embeddings = 32768});
  remove_names(model.family, {"output_bias", "gate_bias", "up_bias", "down_bias"});
  take_rotary(config, head_dim_of(model), {}, model.architecture);
  take_late_windows(config, model);
  config.require("use_mrope", {false});
  return model;
}

PublishedModel read_qwen3(PublishedConfig& config) {
  PublishedModel model = take_llama_like(config, {.type = "qwen3",
                                                  .name = "Qwen3ForCausalLM",
                                                  .vocab_size = 151936,
                                                  .intermediate_size = 22016,
                                                  .num_key_value_heads = 32,
                                                  .head_dim = 128,
                                                  .max_position_embeddings = 32768});
  take_biases(config, model, false);
  add_qk_norm(model);
  take_rotary(config, head_dim_of(model), {}, model.architecture);
  take_late_windows(config, model);
  config.require("use_mrope", {false});
  return model;
}

PublishedModel read_smollm3(PublishedConfig& config) {
  PublishedModel model = take_llama_like(config, {.type = "smollm3",
                                                  .name = "SmolLM3ForCausalLM",
                                                  .vocab_size = 128256,
                                                  .hidden_size = 2048,
                                                  .num_hidden_layers = 36,
                                                  .num_attention_heads = 16,
                                                  .num_key_value_heads = 4,
                                                  .max_position_embeddings = 32768,
                                                  .rope_theta = 2000000.0,
                                                  .tie_word_embeddings = true});
  take_biases(config, model, true);
  take_rotary(config, head_dim_of(model), {.base = 2000000.0}, model.architecture);
  const std::size_t blocks = blocks_of(model);
  std::vector<bool> unrotated(blocks);
  const std::uint32_t interval = config.take_count("no_rope_layer_interval", 4);
  const std::optional<std::vector<double>> layers = config.take_numbers("no_rope_layers");
  if (layers && layers->size() < blocks) throw config.refused("no_rope_layers", "it has fewer layers than the model");
  for (std::size_t block = 0; block < blocks; ++block) {
    unrotated[block] = layers ? (*layers)[block] == 0.0 : (block + 1) % interval == 0;
  }
  if (const std::uint32_t period = period_of(unrotated, config, "no_rope_layers"); period != 0) {
    model.architecture["rotary_skip_every"] = period;
  }
  std::optional<std::uint32_t> window = config.take_optional_count("sliding_window", std::nullopt);
  const bool used = config.take_flag("use_sliding_window", false);
  if (!used) window.reset();
  config.leave({"max_window_layers"});
  if (!window) unrotated.assign(blocks, false);
  take_window(config, window, std::move(unrotated), "no_rope_layers", used ? no_window : no_use, model.architecture);
  return model;
}

PublishedModel read_granite(PublishedConfig& config) {
  PublishedModel model = take_llama_like(config, {.type = "granite", .name = "GraniteForCausalLM"});
  take_biases(config, model, true);
  take_rotary(config, head_dim_of(model), {}, model.architecture);
  model.architecture["embedding_scale"] = take_positive(config, "embedding_multiplier", 1.0);
  scale_scores(model, take_positive(config, "attention_multiplier", 1.0));
  const double residual = take_positive(config, "residual_multiplier", 1.0);
  fold(model.family, "output", residual);
  fold(model.family, "down", residual);
  fold(model.family, "final_norm", 1.0 / take_positive(config, "logits_scaling", 1.0));
  return model;
}

PublishedModel read_phi3(PublishedConfig& config) {
  PublishedModel model = take_llama_like(config, {.type = "phi3",
                                                  .name = "Phi3ForCausalLM",
                                                  .vocab_size = 32064,
                                                  .hidden_size = 3072,
                                                  .intermediate_size = 8192,
                                                  .max_position_embeddings = 4096,
                                                  .rms_norm_eps = 1e-5});
  remove_names(model.family, {"_bias", "query", "key", "value", "gate", "up"});
  model.family.names.push_back({"qkv", "@layers.{}.self_attn.qkv_proj.weight"});
  model.family.names.push_back({"gate_up", "@layers.{}.mlp.gate_up_proj.weight"});
  config.require("attention_bias", {false});
  config.require("mlp_bias", {false});
  take_rotary(config, head_dim_of(model), {.fraction_member = "partial_rotary_factor"}, model.architecture);
  if (model.architecture.contains("rotary_scaling")) {
    throw config.refused("rope_scaling", "scaling is said, which in this architecture is a list of frequencies");
  }
  config.leave({"original_max_position_embeddings"});
  take_one_window(config, std::nullopt, model);
  return model;
}

}  // namespace heed::tools
