// SPDX-License-Identifier: MIT
#include "formats/model_config.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <type_traits>

#include "formats/member_text.hpp"
#include "heed/detail/model_members.hpp"
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
  const bool of_rows = what.ends_with("row_type");
  member = parse_data_type(what, value.is_string() ? value.get<std::string>() : "",
                           of_rows ? &is_row_type : &is_weight_type);
}

void parse(const nlohmann::json& value, const std::string& what, detail::Opposite<bool>& member) {
  bool opposite = false;
  parse(value, what, opposite);
  member.flag = !opposite;
}

/// What a member is called within its object: those of the blocks are in one of their own.
std::string_view name_in_block(std::string_view name) {
  constexpr std::string_view of_block = "block.";
  return name.substr(0, of_block.size()) == of_block ? name.substr(of_block.size()) : std::string_view{};
}

/// A member becomes what the JSON has under its name, which is taken out.
template <class Member>
void take(nlohmann::json& json, const std::string& name, const std::string& what, Member& member) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  parse(*found, what, member);
  json.erase(found);
}

/// Whether a member of extended models is not as in all others.
template <class Member>
bool is_set(const Member& member) {
  return member != Member{};
}

/// A definition with every member that all models have, and those of extended ones that are set, of which `text_of`
/// gives the value: in the order of their declaration, as C++ asks for, which is not that of a file.
template <class Text>
std::string initialised(const std::string& declaration, const ModelConfig& config, const Text& text_of) {
  std::map<const void*, std::string> block;
  std::map<const void*, std::string> others;
  const auto add = [&](std::string_view name, const auto& value) {
    const std::string_view in_block = name_in_block(name);
    std::string& text = (in_block.empty() ? others : block)[&value];
    text = in_block.empty() ? "    ." : "        .";
    text += std::string(in_block.empty() ? name : in_block) + " = " + text_of(value) + ",\n";
  };
  detail::for_each_plain_member(config, [&](const char* name, const auto& member) {
    if constexpr (requires { member.flag; }) {
      add(member.member, member.flag);
    } else {
      add(name, member);
    }
  });
  detail::for_each_extended_member(config, [&](const char* name, const auto& member) {
    if (is_set(member)) add(name, member);
  });
  const auto joined = [](const std::map<const void*, std::string>& members) {
    std::string text;
    for (const auto& member : members) text += member.second;
    return text;
  };
  return declaration + " = {\n    .block = {\n" + joined(block) + "    },\n" + joined(others) + "};\n";
}

}  // namespace

ModelConfig take_config(nlohmann::json& json, const std::string& what) {
  ModelConfig config;
  // What zeros mean in words: what a JSON leaves out is shown.
  config.block.heads = 1;
  config.block.norm_epsilon = 1e-5F;
  config.embedding_scale = 1.0F;
  config.rotary_base = 10000.0F;
  nlohmann::json block = nlohmann::json::object();
  if (const auto found = json.find("block"); found != json.end()) {
    block = *found;
    if (!block.is_object()) throw Failure(what + ": block: an object is needed");
    json.erase(found);
  }
  detail::for_each_member(config, [&](const char* name, auto&& member) {
    const std::string in_block(name_in_block(name));
    take(in_block.empty() ? json : block, in_block.empty() ? name : in_block, what + ": " + name, member);
  });
  if (!block.empty()) throw Failure(what + ": block." + block.begin().key() + ": there is no such member");
  return config;
}

nlohmann::ordered_json to_json(const ModelConfig& config) {
  nlohmann::ordered_json json;
  const auto place = [&](const char* name) -> nlohmann::ordered_json& {
    const std::string in_block(name_in_block(name));
    return in_block.empty() ? json[name] : json["block"][in_block];
  };
  detail::for_each_plain_member(config, [&](const char* name, const auto& member) {
    if constexpr (requires { member.flag; }) {
      place(name) = !member.flag;
    } else {
      place(name) = json_of(member);
    }
  });
  detail::for_each_extended_member(config, [&](const char* name, const auto& member) {
    if (is_set(member)) place(name) = json_of(member);
  });
  return json;
}

std::string config_source(const ModelConfig& config, const std::string& name) {
  return initialised("inline constexpr heed::ModelConfig " + name, config, [](auto value) { return source_of(value); });
}

std::string c_config_source(const ModelConfig& config, const std::string& name) {
  return initialised("static const heed_model_config " + name, config, [](auto value) { return c_source_of(value); });
}

}  // namespace heed::tools
