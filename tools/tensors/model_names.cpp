// SPDX-License-Identifier: MIT
#include "tensors/model_names.hpp"

#include <algorithm>
#include <string_view>

#include "support/failure.hpp"
#include "tensors/tensor_roles.hpp"
#include "tensors/weight_checks.hpp"

namespace heed::tools {

std::optional<std::string> take_text(nlohmann::json& json, const char* member, const std::string& what) {
  const auto found = json.find(member);
  if (found == json.end()) return {};
  if (!found->is_string()) throw Failure(what + ": " + member + ": a text is needed");
  const std::string text = found->get<std::string>();
  json.erase(found);
  return text;
}

const ModelNames::Name* ModelNames::find(const std::string& role) const {
  const auto found = names_.find(role);
  return found == names_.end() ? nullptr : &found->second;
}

bool ModelNames::is_of_another_part(std::string_view tensor) const {
  return std::any_of(other_parts_.begin(), other_parts_.end(),
                     [&](const std::string& start) { return tensor.starts_with(start); });
}

/// A family stores all of its matrices alike: where one of its names is said to be stored otherwise, its other names
/// are not taken either.
void ModelNames::give(const std::string& role, const Name& name, const std::string& where, const FamilyMatch& match) {
  if (role.find("qkv") != std::string::npos) require_plain_order(name.pattern, where);
  Name given = name;
  const Name* const usual = find(role);
  if (usual != nullptr && usual->pattern == name.pattern) {
    given.skipped_rows = usual->skipped_rows;
    if (usual->transposed != name.transposed) {
      throw Failure(where + ": the family " + match.family->name + " stores " + name.pattern + " as " +
                    (usual->transposed ? "[in, out]" : "[out, in]") + ", as all of its matrices");
    }
  }
  names_[role] = given;
}

void ModelNames::take_given(nlohmann::json& json, const std::string& what, const FamilyMatch& match) {
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
    give(role, name, where, match);
  }
  json.erase(found);
}

ModelNames::ModelNames(nlohmann::json& json, const std::string& what, const FamilyMatch& match) {
  if (match.family != nullptr) {
    for (const FamilyName& name : match.family->names) {
      const bool positions = std::string_view(name.role) == "positions";
      names_[name.role] = {with_prefix(name.pattern, match.prefix),
                           name.transposed,
                           name.required,
                           positions ? match.family->skipped_positions : 0,
                           name.order,
                           name.fold,
                           name.row_scale == nullptr ? "" : with_prefix(name.row_scale, match.prefix),
                           positions ? match.family->missing_positions : 0};
    }
    query_scale_ = match.family->query_scale;
    other_parts_.assign(match.family->other_parts.begin(), match.family->other_parts.end());
    for (const char* buffer : match.family->buffers) buffers_.push_back(with_prefix(buffer, match.prefix));
  }
  take_given(json, what, match);
  if (match.family == nullptr && find("query") == nullptr && find("qkv") == nullptr) {
    throw Failure(what + ": tensors: names are needed, because the file has those of no known family (" +
                  known_families() + ")" + (match.nearest.empty() ? "" : "; " + match.nearest));
  }
}

}  // namespace heed::tools
