// SPDX-License-Identifier: MIT
#include "architectures/published_model.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "formats/model_config.hpp"
#include "support/characters.hpp"
#include "support/failure.hpp"
#include "tensors/family_match.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

namespace {

std::string nine_digits(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

/// Whether a member says that there is something.
bool tells(const std::string& member, const nlohmann::ordered_json& value, bool rotated) {
  if (value.is_object() || value == false || value == "none" || value == "float32") return false;
  if (member.starts_with("rotary") && !rotated) return false;
  return !value.is_number() || value != 0;
}

/// "model_dim  128" for every member that tells something.
std::vector<std::string> told(const std::string& prefix, const nlohmann::ordered_json& members, bool rotated) {
  constexpr std::size_t name_width = 24;
  std::vector<std::string> lines;
  for (const auto& [member, value] : members.items()) {
    if (!tells(member, value, rotated)) continue;
    lines.push_back(left_aligned(prefix + member, name_width) + "  " +
                    (value.is_string() ? value.get<std::string>()
                     : value == true   ? "yes"
                                       : value.dump()));
  }
  return lines;
}

/// The lines of a table: the members of the blocks, and beside them those of the model.
std::vector<std::string> describe_config(const ModelConfig& config) {
  constexpr std::size_t column_width = 44;
  const nlohmann::ordered_json json = to_json(config);
  const bool rotated = config.positions == Positions::rotary;
  std::vector<std::string> block = told("block.", json.at("block"), rotated);
  const std::vector<std::string> model = told("", json, rotated);
  block.resize(std::max(block.size(), model.size()));
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] = "  " + block[i];
    if (i < model.size()) block[i] = left_aligned(block[i], column_width) + "  " + model[i];
  }
  return block;
}

/// "attention_norm + 1, query * 0.0625", or nothing.
std::string describe_folds(const ModelFamily& family) {
  const QueryScale& queries = family.query_scale;
  std::string text;
  if (queries.scale != 1.0 || queries.by_block) text = "queries * " + nine_digits(queries.scale);
  if (queries.by_block) text += " / number of the block";
  for (const FamilyName& name : family.names) {
    if (name.fold.added == 0.0 && name.fold.scale == 1.0) continue;
    text += (text.empty() ? "" : ", ") + std::string(name.role);
    if (name.fold.added != 0.0) text += " + " + nine_digits(name.fold.added);
    if (name.fold.scale != 1.0) text += " * " + nine_digits(name.fold.scale);
  }
  return text;
}

}  // namespace

ModelDescription describe_published(PublishedModel published, const WeightFile& weights, const StoredTypes& types,
                                    const std::string& what) {
  nlohmann::json& json = published.architecture;
  const std::uint32_t dim = json.at("block").at("model_dim");
  const FamilyMatch match = match_prefix(published.family, dim, weights);
  ModelDescription model{what, {}, ModelNames(json, what, match), {}};
  ModelConfig config = take_config(json, what);
  if (!json.empty()) throw Failure(what + ": " + json.begin().key() + ": no model has such a member");
  set_types(config, types);
  model.plan = file_plan(config, what);
  model.notes.push_back(published.name + ", prefix \"" + match.prefix + '"');
  model.notes.emplace_back("understood:");
  for (std::string& line : describe_config(model.plan.config)) model.notes.push_back(std::move(line));
  if (const std::string folds = describe_folds(published.family); !folds.empty()) {
    model.notes.push_back("in the weights: " + folds);
  }
  for (std::string& note : published.notes) model.notes.push_back(std::move(note));
  return model;
}

}  // namespace heed::tools
