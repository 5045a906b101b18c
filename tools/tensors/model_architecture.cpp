// SPDX-License-Identifier: MIT
#include "tensors/model_architecture.hpp"

#include <set>
#include <utility>

#include "formats/json_text.hpp"
#include "formats/model_config.hpp"
#include "support/failure.hpp"
#include "tensors/family_facts.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

namespace {

/// Members of which no tensor tells.
constexpr const char* untold_members[] = {"block.norm_epsilon", "block.norm",  "block.norm_placement",
                                          "block.activation",   "positions",   "causal",
                                          "embedding_scale",    "rotary_base", "rotary_dim"};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// A member of a configuration, as "block.norm rms_norm".
std::string with_value(const nlohmann::ordered_json& config, const std::string& member) {
  const bool of_block = member.starts_with("block.");
  const nlohmann::ordered_json& value = of_block ? config.at("block").at(member.substr(6)) : config.at(member);
  if (member == "rotary_dim" && value == 0) return "rotary_dim head_dim";
  return member + ' ' + (value.is_string() ? value.get<std::string>() : value.dump());
}

/// What the architecture leaves to its defaults, and what no file of the family tells.
std::vector<std::string> assumptions(const std::set<std::string>& said, const ModelConfig& config,
                                     const FamilyMatch& match, const ModelNames& names) {
  std::vector<std::string> assumed;
  const nlohmann::ordered_json values = to_json(config);
  for (const char* member : untold_members) {
    const bool of_rotary = std::string_view(member).starts_with("rotary");
    if (said.count(member) != 0 || (of_rotary && config.positions != Positions::rotary)) continue;
    assumed.push_back(with_value(values, member));
  }
  for (const char* role : {"qkv", "cross_qkv"}) {
    const ModelNames::Name* const name = names.find(role);
    if (name == nullptr || !name->required) continue;
    assumed.push_back("rows of " + name->pattern + " all queries, all keys, all values");
  }
  if (config.pooling == Pooling::mean && config.class_token) assumed.emplace_back("mean counts the class token");
  if (!match.assumption.empty()) assumed.push_back(match.assumption);
  if (match.family != nullptr && match.family->assumption != nullptr) assumed.emplace_back(match.family->assumption);
  return assumed;
}

void require_pooling(const std::set<std::string>& said, const ModelConfig& config, const FamilyMatch& match,
                     const std::string& what) {
  if (!config.encoder) return;
  if (said.count("pooling") == 0)
    throw Failure(what + ": pooling: first, mean, last or every is needed for an encoder");
  if (match.family != nullptr && match.family->mean_skips_class_token && config.class_token &&
      config.pooling == Pooling::mean) {
    throw Failure(what + ": pooling: the mean of the family " + match.family->name +
                  " is without the class token, and mean counts it");
  }
}

/// Of the members above, and pooling.
std::set<std::string> said_members(const nlohmann::json& json) {
  std::set<std::string> said;
  for (const char* member : untold_members) {
    if (says(json, member)) said.insert(member);
  }
  if (says(json, "pooling")) said.insert("pooling");
  return said;
}

/// What is said so far. No member of a configuration is a list.
ModelConfig stated_config(const nlohmann::json& json, const std::string& what) {
  nlohmann::json stated = nlohmann::json::object();
  for (const auto& [member, value] : json.items()) {
    if (!value.is_array()) stated[member] = value;
  }
  return take_config(stated, what);
}

}  // namespace

Architecture parse_architecture(std::string_view text, const std::string& file) {
  const std::string what = "--model " + file;
  Architecture architecture{file, parse_json(text, what)};
  if (!architecture.json.is_object()) throw Failure(what + ": not a JSON object");
  return architecture;
}

ModelDescription describe_model(Architecture architecture, const WeightFile& weights, const StoredTypes& types) {
  const std::string what = "--model " + architecture.file;
  nlohmann::json& json = architecture.json;
  const ModelConfig before = stated_config(json, what);
  const FamilyRequest request{take_text(json, "family", what), take_text(json, "prefix", what)};
  const FamilyMatch match = match_family(request, before, weights, what);
  ModelDescription model{architecture.file, {}, ModelNames(json, what, match), {}};
  std::vector<std::string> taken;
  if (match.family != nullptr) taken = complete(json, *match.family, what);
  const std::set<std::string> said = said_members(json);
  ModelConfig config = take_config(json, what);
  if (!json.empty()) throw Failure(what + ": " + json.begin().key() + ": there is no such member");
  require_pooling(said, config, match, what);
  const ModelNames::Name* const first =
      model.names.find("qkv") != nullptr ? model.names.find("qkv") : model.names.find("query");
  if (match.family != nullptr && config.blocks > 1 && first->pattern.find("{}") == std::string::npos) {
    throw Failure(what + ": prefix: {} is needed in it, for the number of the block");
  }
  set_types(config, types);
  model.plan = file_plan(config, match.family == nullptr ? what : what + ", family " + match.family->name);
  if (match.family != nullptr) {
    model.notes.push_back(std::string("family: ") + match.family->name + ", prefix \"" + match.prefix + '"' +
                          (taken.empty() ? "" : "; it has " + joined(taken)));
  }
  const std::vector<std::string> assumed = assumptions(said, config, match, model.names);
  if (!assumed.empty()) model.notes.push_back("assumes: " + joined(assumed));
  return model;
}

}  // namespace heed::tools
