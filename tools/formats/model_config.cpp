// SPDX-License-Identifier: MIT
#include "formats/model_config.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "formats/member_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

void parse(const nlohmann::json& value, const std::string& what, std::uint32_t& member) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw Failure(what + ": a whole number of at most 32 bits is needed");
  }
  member = value.get<std::uint32_t>();
}

void parse(const nlohmann::json& value, const std::string& what, float& member) {
  if (!value.is_number()) throw Failure(what + ": a number is needed");
  member = value.get<float>();
  if (!std::isfinite(member)) throw Failure(what + ": too large for float32");
}

void parse(const nlohmann::json& value, const std::string& what, bool& member) {
  if (!value.is_boolean()) throw Failure(what + ": true or false is needed");
  member = value.get<bool>();
}

template <class Enumeration>
requires std::is_enum_v<Enumeration>
void parse(const nlohmann::json& value, const std::string& what, Enumeration& member) {
  const std::vector<std::string_view> names = enumerators(member).names;
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (value.is_string() && value.get<std::string>() == names[i]) {
      member = static_cast<Enumeration>(i);
      return;
    }
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw Failure(what + ": one of " + known + " is needed");
}

void parse(const nlohmann::json& value, const std::string& what, DataType& member) {
  member = parse_data_type(what, value.is_string() ? value.get<std::string>() : "", &is_weight_type);
}

/// All but those of the blocks, by the names of a JSON: two flags have the opposite there.
template <class Config, class Visit>
void for_each_word(Config& config, const Visit& visit) {
  for_each_model_member(config, [&](std::string_view name, auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, bool>) {
      const char* const opposite = name == "encoder" ? "causal" : name == "without_final_norm" ? "final_norm" : nullptr;
      if (opposite != nullptr) {
        bool word = !member;
        visit(opposite, word);
        if constexpr (!std::is_const_v<Config>) member = !word;
        return;
      }
    }
    visit(name.data(), member);
  });
}

/// A definition with every member, of which `text_of` gives the value.
template <class Text>
std::string initialised(const std::string& declaration, const ModelConfig& config, const Text& text_of) {
  std::string text = declaration + " = {\n    .block = {\n";
  for_each_block_member(config.block, [&](const char* member, auto value) {
    text += "        ." + std::string(member) + " = " + text_of(value) + ",\n";
  });
  text += "    },\n";
  for_each_model_member(config, [&](const char* member, auto value) {
    text += "    ." + std::string(member) + " = " + text_of(value) + ",\n";
  });
  return text + "};\n";
}

/// Visits a member with what the JSON has under its name, and takes that out.
auto taker(nlohmann::json& json, const std::string& what) {
  return [&json, what](const char* name, auto& member) {
    const auto found = json.find(name);
    if (found == json.end()) return;
    parse(*found, what + name, member);
    json.erase(found);
  };
}

}  // namespace

ModelConfig take_config(nlohmann::json& json, const std::string& what) {
  ModelConfig config;
  // What zeros mean in words: what a JSON leaves out is shown.
  config.block.heads = 1;
  config.block.norm_epsilon = 1e-5F;
  config.embedding_scale = 1.0F;
  config.rotary_base = 10000.0F;
  if (const auto found = json.find("block"); found != json.end()) {
    nlohmann::json block = *found;
    if (!block.is_object()) throw Failure(what + ": block: an object is needed");
    for_each_block_member(config.block, taker(block, what + ": block."));
    if (!block.empty()) throw Failure(what + ": block." + block.begin().key() + ": there is no such member");
    json.erase(found);
  }
  for_each_word(config, taker(json, what + ": "));
  return config;
}

nlohmann::ordered_json to_json(const ModelConfig& config) {
  nlohmann::ordered_json json;
  for_each_block_member(config.block, [&](const char* name, auto member) { json["block"][name] = json_of(member); });
  for_each_word(config, [&](const char* name, auto& member) { json[name] = json_of(member); });
  return json;
}

std::string config_source(const ModelConfig& config, const std::string& name) {
  return initialised("inline constexpr heed::ModelConfig " + name, config, [](auto value) { return source_of(value); });
}

std::string c_config_source(const ModelConfig& config, const std::string& name) {
  return initialised("static const heed_model_config " + name, config, [](auto value) { return c_source_of(value); });
}

}  // namespace heed::tools
