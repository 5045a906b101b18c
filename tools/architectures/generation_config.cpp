// SPDX-License-Identifier: MIT
#include "architectures/generation_config.hpp"

#include <algorithm>

namespace heed::tools {

namespace {

std::string text_of(const nlohmann::json& value) {
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const nlohmann::json& one : value) text += (text.empty() ? "" : " ") + one.dump();
  return text;
}

bool is_id(const nlohmann::json& value) {
  return value.is_number_integer();
}

}  // namespace

std::string take_token_ids(PublishedConfig& config) {
  std::string text;
  for (const char* member : {"bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id"}) {
    const std::optional<nlohmann::json> value = config.take(member);
    if (!value) continue;
    if (!is_id(*value) && !(value->is_array() && std::all_of(value->begin(), value->end(), &is_id))) {
      throw config.refused(member, "the number of a token, or a list of them, is needed");
    }
    const std::string name(member);
    text += (text.empty() ? "" : ", ") + name.substr(0, name.rfind("_token_id")) + ' ' + text_of(*value);
  }
  return text;
}

std::vector<std::string> describe_generation(PublishedConfig config) {
  std::vector<std::string> lines;
  const std::string begin = "generation_config.json: ";
  if (const std::string ids = take_token_ids(config); !ids.empty()) lines.push_back(begin + "tokens: " + ids);
  std::string asked;
  for (const char* member : sampling_members) {
    const std::optional<nlohmann::json> value = config.take(member);
    if (value) asked += (asked.empty() ? "" : ", ") + std::string(member) + ' ' + text_of(*value);
  }
  if (!asked.empty()) lines.push_back(begin + "asks a sampler for " + asked);
  config.leave({"_from_model_config", "transformers_version", "use_cache", "cache_implementation", "cache_config",
                "return_dict_in_generate", "output_scores", "output_logits", "output_attentions",
                "output_hidden_states", "trust_remote_code", "chat_format", "_name_or_path", "max_window_size"});
  if (const std::vector<std::string> rest = config.rest(); !rest.empty()) {
    std::string text;
    for (const std::string& member : rest) text += (text.empty() ? "" : ", ") + member;
    lines.push_back(begin + "not known: " + text);
  }
  return lines;
}

}  // namespace heed::tools
