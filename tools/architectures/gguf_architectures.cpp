// SPDX-License-Identifier: MIT
#include "architectures/gguf_architectures.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "architectures/gguf_keys.hpp"
#include "architectures/gguf_scaling.hpp"

namespace heed::tools {

namespace {

/// What llama.cpp takes for a base that a file does not say.
constexpr double usual_base = 10000.0;

void put_gemma_scalar(GgufKeys& keys, std::uint32_t largest_blocks, nlohmann::json& config) {
  const bool largest = keys.blocks == largest_blocks;
  config["query_pre_attn_scalar"] = largest ? keys.dim / keys.heads : keys.head_dim;
  keys.notes.push_back("query_pre_attn_scalar " + config["query_pre_attn_scalar"].dump() +
                       (largest ? ", that of the largest model, by its " + std::to_string(keys.blocks) + " blocks"
                                : ", the width of a head"));
}

void put_optional(GgufKeys& keys, const char* key, const char* member, nlohmann::json& config) {
  if (const std::optional<double> value = keys.optional_number(key)) config[member] = *value;
}

void put_biased_llama(GgufKeys& keys, nlohmann::json& config) {
  config["attention_bias"] = keys.file.has("blk.0.attn_q.bias");
  config["mlp_bias"] = keys.file.has("blk.0.ffn_up.bias");
}

void put_llama(GgufKeys& keys, nlohmann::json& config) {
  put_biased_llama(keys, config);
  keys.require("tensor_data_layout", {"Meta AI original pth"});
}

void put_granite(GgufKeys& keys, nlohmann::json& config) {
  put_biased_llama(keys, config);
  config["attention_multiplier"] = 1.0 / std::sqrt(static_cast<double>(keys.head_dim));
  put_optional(keys, "attention.scale", "attention_multiplier", config);
  put_optional(keys, "embedding_scale", "embedding_multiplier", config);
  put_optional(keys, "residual_scale", "residual_multiplier", config);
  put_optional(keys, "logit_scale", "logits_scaling", config);
}

void put_nothing(GgufKeys&, nlohmann::json&) {}

void put_qwen3(GgufKeys& keys, nlohmann::json& config) {
  config["attention_bias"] = keys.file.has("blk.0.attn_q.bias");
}

void put_window(GgufKeys& keys, nlohmann::json& config) {
  const std::optional<double> window = keys.optional_number("attention.sliding_window");
  if (window && *window != 0.0) config["sliding_window"] = keys.whole("attention.sliding_window", *window);
}

void put_phi3(GgufKeys& keys, nlohmann::json& config) {
  for (const char* factors : {"rope_factors_long.weight", "rope_factors_short.weight"}) {
    if (!keys.file.has(factors)) continue;
    throw Failure(keys.file.name() + ": tensor " + factors +
                  ": frequencies for short and for long texts are not supported");
  }
  put_window(keys, config);
}

void put_gemma2(GgufKeys& keys, nlohmann::json& config) {
  put_window(keys, config);
  put_optional(keys, "attn_logit_softcapping", "attn_logit_softcapping", config);
  put_optional(keys, "final_logit_softcapping", "final_logit_softcapping", config);
  put_gemma_scalar(keys, 46, config);
}

void put_gemma3(GgufKeys& keys, nlohmann::json& config) {
  config["sliding_window"] = keys.count("attention.sliding_window");
  config["rope_local_base_freq"] = usual_base;
  put_optional(keys, "rope.freq_base_swa", "rope_local_base_freq", config);
  put_optional(keys, "final_logit_softcapping", "final_logit_softcapping", config);
  if (const auto pattern = keys.optional_count("attention.sliding_window_pattern")) {
    config["sliding_window_pattern"] = *pattern;
  }
  put_gemma_scalar(keys, 62, config);
}

struct GgufLlama {
  const char* name;  ///< `general.architecture`
  const char* type;  ///< `model_type` of config.json
  bool pairs;
  void (*put)(GgufKeys& keys, nlohmann::json& config);
};

/// Those that are Llama but for what `put` adds.
constexpr GgufLlama gguf_llamas[] = {
    {"llama", "llama", true, put_llama},         {"qwen2", "qwen2", false, put_nothing},
    {"qwen3", "qwen3", false, put_qwen3},        {"smollm3", "smollm3", true, put_biased_llama},
    {"granite", "granite", true, put_granite},   {"phi3", "phi3", false, put_phi3},
    {"gemma", "gemma", false, put_nothing},      {"gemma2", "gemma2", false, put_gemma2},
    {"gemma3", "gemma3_text", false, put_gemma3}};

std::string known_gguf_architectures() {
  std::string text;
  for (const GgufLlama& known : gguf_llamas) text += std::string(known.name) + ", ";
  return text + "gpt2 and gptneox";
}

nlohmann::json llama_like_config(GgufKeys& keys, const GgufLlama& known) {
  nlohmann::json config{{"model_type", known.type},
                        {"hidden_size", keys.dim},
                        {"num_hidden_layers", keys.blocks},
                        {"num_attention_heads", keys.heads},
                        {"num_key_value_heads", keys.optional_count("attention.head_count_kv").value_or(keys.heads)},
                        {"head_dim", keys.head_dim},
                        {"intermediate_size", keys.count("feed_forward_length")},
                        {"max_position_embeddings", keys.count("context_length")},
                        {"rms_norm_eps", keys.number("attention.layer_norm_rms_epsilon")},
                        {"vocab_size", keys.vocabulary()},
                        {"tie_word_embeddings", keys.tied()}};
  if (const auto width = keys.optional_count("attention.value_length"); width && *width != keys.head_dim) {
    throw keys.refused("attention.value_length", "it is not attention.key_length");
  }
  const std::optional<std::uint32_t> rotated = keys.optional_count("rope.dimension_count");
  if (rotated && *rotated != keys.head_dim) {
    throw keys.refused("rope.dimension_count",
                       std::to_string(*rotated) + " is said, and heads are " + std::to_string(keys.head_dim) + " wide");
  }
  config["rope_theta"] = keys.optional_number("rope.freq_base").value_or(usual_base);
  take_gguf_scaling(keys, config);
  known.put(keys, config);
  return config;
}

nlohmann::json gpt2_config(GgufKeys& keys) {
  return {{"model_type", "gpt2"},
          {"n_embd", keys.dim},
          {"n_layer", keys.blocks},
          {"n_head", keys.heads},
          {"n_inner", keys.count("feed_forward_length")},
          {"n_positions", keys.count("context_length")},
          {"layer_norm_epsilon", keys.number("attention.layer_norm_epsilon")},
          {"vocab_size", keys.vocabulary()},
          {"tie_word_embeddings", keys.tied()}};
}

nlohmann::json gpt_neox_config(GgufKeys& keys) {
  const std::uint32_t rotated = keys.count("rope.dimension_count");
  // The library multiplies by the fraction and rounds down.
  const double fraction = rotated == keys.head_dim ? 1.0 : (rotated + 0.25) / keys.head_dim;
  keys.notes.emplace_back("assumes: hidden_act gelu, as in the library; a GGUF file does not say");
  return {{"model_type", "gpt_neox"},
          {"hidden_size", keys.dim},
          {"num_hidden_layers", keys.blocks},
          {"num_attention_heads", keys.heads},
          {"intermediate_size", keys.count("feed_forward_length")},
          {"max_position_embeddings", keys.count("context_length")},
          {"layer_norm_eps", keys.number("attention.layer_norm_epsilon")},
          {"use_parallel_residual", keys.flag("use_parallel_residual")},
          {"rotary_pct", fraction},
          {"rotary_emb_base", keys.optional_number("rope.freq_base").value_or(usual_base)},
          {"vocab_size", keys.vocabulary()},
          {"tie_word_embeddings", keys.tied()}};
}

}  // namespace

GgufArchitecture read_gguf_architecture(const nlohmann::json& metadata, const WeightFile& file) {
  const std::string name = PublishedConfig(metadata, file.name()).take_word("general.architecture", "");
  const GgufLlama* found = nullptr;
  for (const GgufLlama& known : gguf_llamas) {
    if (name == known.name) found = &known;
  }
  if (found == nullptr && name != "gpt2" && name != "gptneox") {
    throw Failure(file.name() + ": general.architecture: " + (name.empty() ? "nothing" : name) + " is said, and " +
                  known_gguf_architectures() + " are supported");
  }
  GgufKeys keys(name, metadata, file);
  GgufArchitecture result;
  if (found != nullptr) {
    result.config = llama_like_config(keys, *found);
    result.pairs = found->pairs;
  } else {
    result.config = name == "gpt2" ? gpt2_config(keys) : gpt_neox_config(keys);
  }
  keys.finish();
  result.notes = std::move(keys.notes);
  return result;
}

}  // namespace heed::tools
