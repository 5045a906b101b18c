// SPDX-License-Identifier: MIT
#include "architectures/architectures.hpp"

#include "architectures/common_members.hpp"
#include "architectures/generation_config.hpp"
#include "architectures/gpt_like.hpp"
#include "architectures/llama_like.hpp"

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

std::string known_types() {
  std::string text;
  for (const KnownArchitecture& known : known_architectures)
    text += (text.empty() ? "" : ", ") + std::string(known.type);
  return text;
}

}  // namespace

PublishedModel read_published_model(PublishedConfig config) {
  const std::string type = config.take_word("model_type", "");
  if (type.empty()) throw config.refused("model_type", "it is missing; one of " + known_types() + " is needed");
  for (const KnownArchitecture& known : known_architectures) {
    if (type != known.type) continue;
    const std::string ids = take_token_ids(config);
    PublishedModel model = known.read(config);
    config.finish();
    require_names(model.family, model.architecture.value("tied_head", false));
    std::string left;
    for (const std::string& member : config.left()) left += (left.empty() ? "" : ", ") + member;
    if (!ids.empty()) model.notes.push_back("tokens: " + ids);
    if (!left.empty()) model.notes.push_back("without meaning here: " + left);
    return model;
  }
  throw config.refused("model_type", type + " is said, and " + known_types() + " are supported");
}

}  // namespace heed::tools
