// SPDX-License-Identifier: MIT
#include "tensors/model_names.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

std::string with_prefix(std::string_view pattern, const std::string& prefix) {
  return pattern.starts_with('@') ? prefix + std::string(pattern.substr(1)) : std::string(pattern);
}

std::optional<std::string> take_text(nlohmann::json& json, const char* member, const std::string& what) {
  const auto found = json.find(member);
  if (found == json.end()) return {};
  if (!found->is_string()) throw Failure(what + ": " + member + ": a text is needed");
  const std::string text = found->get<std::string>();
  json.erase(found);
  return text;
}

/// What tells that a file has a family's names: the queries of block 0.
std::string first_name(const ModelFamily& family, const std::string& prefix) {
  for (const FamilyName& name : family.names) {
    const std::string_view role = name.role;
    if (role == "query" || role == "qkv") return ModelNames::expand(with_prefix(name.pattern, prefix), 0);
  }
  return {};
}

bool has_cross_attention(const ModelFamily& family) {
  return std::any_of(family.names.begin(), family.names.end(),
                     [](const FamilyName& name) { return std::string_view(name.role) == "cross_output"; });
}

std::string known_families() {
  std::string text;
  for (const ModelFamily& family : model_families()) text += (text.empty() ? "" : ", ") + std::string(family.name);
  return text;
}

std::optional<std::string> usual_prefix(const ModelFamily& family, const WeightFile& file) {
  for (const char* prefix : family.prefixes) {
    if (file.has(first_name(family, prefix))) return prefix;
  }
  return {};
}

const ModelFamily& family_of(const std::string& name, const std::string& what) {
  for (const ModelFamily& family : model_families()) {
    if (name == family.name) return family;
  }
  throw Failure(what + ": family: one of " + known_families() + " is needed");
}

const ModelFamily* find_family(const ModelConfig& config, const WeightFile& file,
                               const std::optional<std::string>& prefix) {
  for (const ModelFamily& family : model_families()) {
    if (has_cross_attention(family) != (config.block.cross_dim != 0)) continue;
    if (prefix ? file.has(first_name(family, *prefix)) : usual_prefix(family, file).has_value()) return &family;
  }
  return nullptr;
}

}  // namespace

std::string ModelNames::expand(const std::string& pattern, std::uint32_t block) {
  const std::size_t at = pattern.find("{}");
  return at == std::string::npos ? pattern : pattern.substr(0, at) + std::to_string(block) + pattern.substr(at + 2);
}

const ModelNames::Name* ModelNames::find(const std::string& role) const {
  const auto found = names_.find(role);
  return found == names_.end() ? nullptr : &found->second;
}

void ModelNames::add_family(const ModelFamily& family, const std::string& prefix) {
  for (const FamilyName& name : family.names) {
    names_[name.role] = {with_prefix(name.pattern, prefix), name.transposed, false};
  }
  for (const char* buffer : family.buffers) buffers_.push_back(with_prefix(buffer, prefix));
}

void ModelNames::take_given(nlohmann::json& json, const std::string& what) {
  const auto found = json.find("tensors");
  if (found == json.end()) return;
  if (!found->is_object()) throw Failure(what + ": tensors: an object is needed");
  const auto roles = tensor_roles();
  for (const auto& [role, value] : found->items()) {
    const std::string where = what + ": tensors." + role;
    if (std::find(roles.begin(), roles.end(), role) == roles.end())
      throw Failure(where + ": a model has no such tensor");
    Name name{"", false, true};
    nlohmann::json fields = value.is_string() ? nlohmann::json{{"name", value}} : value;
    if (!fields.is_object()) throw Failure(where + ": a name, or an object with name and transposed, is needed");
    name.pattern = take_text(fields, "name", where).value_or("");
    if (const auto transposed = fields.find("transposed"); transposed != fields.end()) {
      if (!transposed->is_boolean()) throw Failure(where + ".transposed: true or false is needed");
      name.transposed = transposed->get<bool>();
      fields.erase(transposed);
    }
    if (name.pattern.empty()) throw Failure(where + ": the name is missing");
    if (!fields.empty()) throw Failure(where + "." + fields.begin().key() + ": there is no such member");
    names_[role] = name;
  }
  json.erase(found);
}

ModelNames::ModelNames(nlohmann::json& json, const std::string& what, const ModelConfig& config,
                       const WeightFile& file) {
  const std::optional<std::string> named = take_text(json, "family", what);
  const std::optional<std::string> prefix = take_text(json, "prefix", what);
  const ModelFamily* const family = named ? &family_of(*named, what) : find_family(config, file, prefix);
  if (family != nullptr) {
    add_family(*family, prefix ? *prefix : usual_prefix(*family, file).value_or(""));
    const bool llama = std::string_view(family->name) == "llama";
    if (llama && config.positions == Positions::rotary && config.rotary_layout != RotaryLayout::halves) {
      throw Failure(what + ": rotary_layout: halves is needed for the family llama");
    }
    const Name* const query = find("qkv") != nullptr ? find("qkv") : find("query");
    if (config.blocks > 1 && query != nullptr && query->pattern.find("{}") == std::string::npos) {
      throw Failure(what + ": prefix: {} is needed in it, for the number of the block");
    }
  } else if (prefix) {
    throw Failure(what + ": prefix: the file " + file.name() + " has no family's names behind it");
  }
  take_given(json, what);
  if (family == nullptr && find("query") == nullptr && find("qkv") == nullptr) {
    throw Failure(what + ": tensors: names are needed, because " + file.name() + " has those of no known family (" +
                  known_families() + ")");
  }
}

}  // namespace heed::tools
