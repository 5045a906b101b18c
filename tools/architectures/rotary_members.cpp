// SPDX-License-Identifier: MIT
#include "architectures/rotary_members.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace heed::tools {

namespace {

/// A number that may stand in the object of rotary members or beside it.
double take_either(PublishedConfig& config, PublishedConfig& inside, const char* outer, const char* inner,
                   double by_default) {
  const std::optional<double> beside = config.take_optional_number(outer, std::nullopt);
  const std::optional<double> within = inside.take_optional_number(inner, std::nullopt);
  if (beside && within && *beside != *within) {
    throw inside.refused(inner, "it is another number than " + std::string(outer) + " beside it");
  }
  return within ? *within : beside.value_or(by_default);
}

PublishedConfig take_scaling(PublishedConfig& config) {
  std::optional<PublishedConfig> older = config.take_object("rope_scaling");
  std::optional<PublishedConfig> newer = config.take_object("rope_parameters");
  if (older && newer) throw config.refused("rope_scaling", "rope_parameters is there, too");
  if (newer) return std::move(*newer);
  return older ? std::move(*older) : config.inside("rope_scaling", nlohmann::json::object());
}

std::string take_type(PublishedConfig& scaling) {
  const std::string older = scaling.take_word("type", "");
  const std::string type = scaling.take_word("rope_type", older);
  if (!older.empty() && older != type) throw scaling.refused("rope_type", type + " is said, and " + older + " as type");
  return type.empty() ? "default" : type;
}

double require_number(PublishedConfig& scaling, const char* member, const std::string& type) {
  if (!scaling.says(member)) throw scaling.refused(member, "it is missing, and " + type + " needs it");
  return scaling.take_number(member, 0.0);
}

/// How much longer attention of a longer context is weighted, as DeepSeek's models write it.
double mscale_of(double factor, double mscale) {
  return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

void take_yarn(PublishedConfig& scaling, std::uint32_t max_positions, nlohmann::json& architecture) {
  const double factor = require_number(scaling, "factor", "yarn");
  const std::uint32_t original = scaling.take_count("original_max_position_embeddings", max_positions);
  architecture["rotary_scaling"] = "yarn";
  architecture["rotary_factor"] = factor;
  architecture["rotary_original_positions"] = original;
  if (factor * original != max_positions) {
    scaling.note("yarn: factor " + nlohmann::json(factor).dump() +
                 " counts, as in transformers from 4.56 on; 4.51 to " +
                 "4.55 take max_position_embeddings / original_max_position_embeddings, earlier releases no " +
                 "original_max_position_embeddings");
  }
  architecture["rotary_beta_fast"] = scaling.take_optional_number("beta_fast", 32.0).value_or(32.0);
  architecture["rotary_beta_slow"] = scaling.take_optional_number("beta_slow", 1.0).value_or(1.0);
  scaling.require("truncate", {true});
  const std::optional<double> mscale = scaling.take_optional_number("mscale", std::nullopt);
  const std::optional<double> of_all = scaling.take_optional_number("mscale_all_dim", std::nullopt);
  double by_default = mscale_of(factor, 1.0);
  if (mscale.value_or(0.0) != 0.0 && of_all.value_or(0.0) != 0.0) {
    by_default = mscale_of(factor, *mscale) / mscale_of(factor, *of_all);
  }
  architecture["rotary_attention_factor"] =
      scaling.take_optional_number("attention_factor", by_default).value_or(by_default);
}

void take_llama3(PublishedConfig& scaling, nlohmann::json& architecture) {
  architecture["rotary_scaling"] = "llama3";
  architecture["rotary_factor"] = require_number(scaling, "factor", "llama3");
  architecture["rotary_low_factor"] = require_number(scaling, "low_freq_factor", "llama3");
  architecture["rotary_high_factor"] = require_number(scaling, "high_freq_factor", "llama3");
  if (!scaling.says("original_max_position_embeddings")) {
    throw scaling.refused("original_max_position_embeddings", "it is missing, and llama3 needs it");
  }
  architecture["rotary_original_positions"] = scaling.take_count("original_max_position_embeddings", 1);
}

/// What the type of scaling asks for; everything else in its object is refused.
void take_type_members(PublishedConfig& scaling, std::uint32_t max_positions, nlohmann::json& architecture) {
  const std::string type = take_type(scaling);
  if (type == "linear") {
    architecture["rotary_scaling"] = "linear";
    architecture["rotary_factor"] = require_number(scaling, "factor", type);
  } else if (type == "yarn") {
    take_yarn(scaling, max_positions, architecture);
  } else if (type == "llama3") {
    take_llama3(scaling, architecture);
  } else if (type == "dynamic") {
    throw scaling.refused("rope_type", "dynamic is said, whose frequencies change with the length of the text");
  } else if (type == "longrope" || type == "su") {
    throw scaling.refused("rope_type", type + " is said, whose frequencies are a list for short and for long texts");
  } else if (type != "default") {
    throw scaling.refused("rope_type", type + " is said, and default, linear, yarn and llama3 are supported");
  }
  scaling.finish();
}

/// Columns that are rotated: the library rounds down. Its classes that read no share rotate all in release 5, and stop
/// with shapes that do not fit in release 4.
void put_fraction(PublishedConfig& config, PublishedConfig& inside, std::uint32_t head_dim,
                  const RotaryDefaults& defaults, nlohmann::json& architecture) {
  constexpr const char* newer = "partial_rotary_factor";
  if (defaults.fraction_member == nullptr) {
    for (PublishedConfig* place : {&config, &inside}) place->unread(newer, 1.0, "every column is rotated");
    if (head_dim % 2 != 0) {
      throw config.refused("head_dim", std::to_string(head_dim) + " columns, hidden_size / num_attention_heads where " +
                                           "nothing is said, are no even number to rotate");
    }
    return;
  }
  const double fraction = take_either(config, inside, defaults.fraction_member, newer, defaults.fraction);
  const double columns = std::floor(head_dim * fraction);
  if (!(columns >= 2.0) || columns > head_dim || static_cast<std::uint32_t>(columns) % 2 != 0) {
    throw config.refused(defaults.fraction_member, std::to_string(fraction) + " of " + std::to_string(head_dim) +
                                                       " columns is no even number of columns to rotate");
  }
  if (columns != head_dim) architecture["rotary_dim"] = static_cast<std::uint32_t>(columns);
}

void put_base(double base, const PublishedConfig& config, const char* member, const char* place,
              nlohmann::json& architecture) {
  if (!(base > 1.0)) throw config.refused(member, std::to_string(base) + " is said, and more than 1 is needed");
  architecture[place] = base;
}

}  // namespace

void take_rotary(PublishedConfig& config, std::uint32_t head_dim, const RotaryDefaults& defaults,
                 nlohmann::json& architecture) {
  PublishedConfig scaling = take_scaling(config);
  architecture["positions"] = "rotary";
  architecture["rotary_layout"] = "halves";
  put_base(take_either(config, scaling, defaults.base_member, "rope_theta", defaults.base), config,
           defaults.base_member, "rotary_base", architecture);
  put_fraction(config, scaling, head_dim, defaults, architecture);
  take_type_members(scaling, architecture.at("max_positions"), architecture);
}

void take_two_rotaries(PublishedConfig& config, std::uint32_t head_dim, const RotaryDefaults& defaults,
                       double local_base, nlohmann::json& architecture) {
  const bool newer = config.says("rope_parameters");
  PublishedConfig scaling = take_scaling(config);
  PublishedConfig local = scaling.inside("sliding_attention", nlohmann::json::object());
  if (newer) {
    // Only what stands in an object for a type of layers is read.
    const std::string instead = "what stands in full_attention and in sliding_attention counts";
    scaling.unread("rope_theta", config.peek(defaults.base_member, defaults.base), instead);
    for (const char* type : {"rope_type", "type"}) scaling.unread(type, "default", instead);
    scaling.unread("partial_rotary_factor", 1.0, instead);
    if (std::optional<PublishedConfig> said = scaling.take_object("sliding_attention")) local = std::move(*said);
    std::optional<PublishedConfig> full = scaling.take_object("full_attention");
    scaling.finish();
    scaling = full ? std::move(*full) : scaling.inside("full_attention", nlohmann::json::object());
  }
  architecture["positions"] = "rotary";
  architecture["rotary_layout"] = "halves";
  put_base(take_either(config, scaling, defaults.base_member, "rope_theta", defaults.base), config,
           defaults.base_member, "rotary_base", architecture);
  put_base(take_either(config, local, "rope_local_base_freq", "rope_theta", local_base), config, "rope_local_base_freq",
           "local_rotary_base", architecture);
  put_fraction(config, scaling, head_dim, defaults, architecture);
  local.unread("partial_rotary_factor", 1.0, "every column is rotated");
  take_type_members(scaling, architecture.at("max_positions"), architecture);
  if (const std::string type = take_type(local); type != "default") {
    throw local.refused("rope_type", type + " is said, and default is supported where a window is");
  }
  local.finish();
}

}  // namespace heed::tools
