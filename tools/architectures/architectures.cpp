// SPDX-License-Identifier: MIT
#include "architectures/architectures.hpp"

#include "architectures/bert_like.hpp"
#include "architectures/common_members.hpp"
#include "architectures/generation_config.hpp"
#include "architectures/gpt_like.hpp"
#include "architectures/image_models.hpp"
#include "architectures/llama_like.hpp"
#include "architectures/pair_models.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

struct KnownArchitecture {
  const char* type;  ///< `model_type`
  PublishedModel (*read)(PublishedConfig& config);
};

constexpr KnownArchitecture known_architectures[] = {
    {"llama", &read_llama},     {"mistral", &read_mistral},    {"qwen2", &read_qwen2}, {"qwen3", &read_qwen3},
    {"smollm3", &read_smollm3}, {"granite", &read_granite},    {"phi3", &read_phi3},   {"gemma", &read_gemma},
    {"gemma2", &read_gemma2},   {"gemma3_text", &read_gemma3}, {"gpt2", &read_gpt2},   {"gpt_neox", &read_gpt_neox},
    {"opt", &read_opt}};

/// Those of which a folder has several models, or one with several results.
struct ArchitectureInParts {
  const char* type;
  PublishedModel (*read)(PublishedConfig& config, const std::string& part);
};

constexpr ArchitectureInParts architectures_in_parts[] = {{"bert", &read_bert},
                                                          {"roberta", &read_roberta},
                                                          {"xlm-roberta", &read_xlm_roberta},
                                                          {"distilbert", &read_distilbert},
                                                          {"vit", &read_vit},
                                                          {"deit", &read_deit},
                                                          {"t5", &read_t5},
                                                          {"whisper", &read_whisper}};

std::string known_types() {
  std::string text;
  const auto add = [&](const char* type) { text += (text.empty() ? "" : ", ") + std::string(type); };
  for (const KnownArchitecture& known : known_architectures) add(known.type);
  for (const ArchitectureInParts& known : architectures_in_parts) add(known.type);
  return text;
}

PublishedModel read_type(PublishedConfig& config, const std::string& type, const std::string& part) {
  for (const KnownArchitecture& known : known_architectures) {
    if (type != known.type) continue;
    if (!part.empty()) throw Failure("--part " + part + ": " + type + " has one part");
    return known.read(config);
  }
  for (const ArchitectureInParts& known : architectures_in_parts) {
    if (type == known.type) return known.read(config, part);
  }
  throw config.refused("model_type", type + " is said, and " + known_types() + " are supported");
}

PublishedModel read_any(PublishedConfig& config, const std::string& part) {
  const std::string type = config.take_word("model_type", "");
  if (type.empty() && config.has("architecture")) return read_timm(config, part);
  if (type.empty()) throw config.refused("model_type", "it is missing; one of " + known_types() + " is needed");
  return read_type(config, type, part);
}

}  // namespace

PublishedModel read_published_model(PublishedConfig config, const std::string& part) {
  PublishedModel model = read_any(config, part);
  const std::string ids = take_token_ids(config);
  config.finish();
  require_names(model.family, model.architecture.value("tied_head", false));
  std::string left;
  for (const std::string& member : config.left()) left += (left.empty() ? "" : ", ") + member;
  if (!ids.empty()) model.notes.push_back("tokens: " + ids);
  if (!left.empty()) model.notes.push_back("without meaning here: " + left);
  return model;
}

}  // namespace heed::tools
