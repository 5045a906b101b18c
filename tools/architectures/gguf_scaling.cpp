// SPDX-License-Identifier: MIT
#include "architectures/gguf_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr const char* frequencies_name = "rope_freqs.weight";

/// What Llama 3 divides the frequency of two columns by.
double llama3_factor(double base, std::size_t pair, std::size_t head_dim, double factor, double original) {
  constexpr double low = 1.0;
  constexpr double high = 4.0;
  const double exponent = static_cast<double>(2 * pair) / static_cast<double>(head_dim);
  const double wavelength = 2.0 * std::numbers::pi * std::pow(base, exponent);
  if (wavelength < original / high) return 1.0;
  if (wavelength > original / low) return factor;
  const double smooth = (original / wavelength - low) / (high - low);
  return 1.0 / ((1.0 - smooth) / factor + smooth);
}

/// Files hold the factors, and not what they were computed from: those of the published models are tried.
nlohmann::json llama3_scaling(const GgufKeys& keys, double base) {
  const FloatArray stored = keys.file.read(frequencies_name);
  const std::string what = keys.file.name() + ": tensor " + frequencies_name;
  if (stored.values.size() != keys.head_dim / 2) {
    throw Failure(what + ' ' + describe(stored.shape) + ": " + std::to_string(keys.head_dim / 2) + " are needed");
  }
  const double factor = *std::max_element(stored.values.begin(), stored.values.end());
  constexpr double original = 8192.0;
  for (std::size_t pair = 0; pair < stored.values.size(); ++pair) {
    const double expected = llama3_factor(base, pair, keys.head_dim, factor, original);
    const double found = stored.values[pair];
    if (std::abs(found - expected) <= 1e-5 * expected) continue;
    throw Failure(what + ", element [" + std::to_string(pair) + "]: " + std::to_string(found) + ", and Llama 3's are " +
                  "supported, which is " + std::to_string(expected) + " there");
  }
  return {{"rope_type", "llama3"},
          {"factor", factor},
          {"low_freq_factor", 1.0},
          {"high_freq_factor", 4.0},
          {"original_max_position_embeddings", static_cast<std::uint32_t>(original)}};
}

nlohmann::json yarn_scaling(GgufKeys& keys, double factor, const nlohmann::json& config) {
  nlohmann::json scaling{{"rope_type", "yarn"}, {"factor", factor}};
  scaling["original_max_position_embeddings"] =
      keys.optional_count("rope.scaling.original_context_length").value_or(config.at("max_position_embeddings"));
  if (const auto attention = keys.optional_number("rope.scaling.attn_factor")) {
    scaling["attention_factor"] = *attention * (1.0 + 0.1 * std::log(factor));
  }
  if (const auto fast = keys.optional_number("rope.scaling.yarn_beta_fast")) scaling["beta_fast"] = *fast;
  if (const auto slow = keys.optional_number("rope.scaling.yarn_beta_slow")) scaling["beta_slow"] = *slow;
  return scaling;
}

}  // namespace

void take_gguf_scaling(GgufKeys& keys, nlohmann::json& config) {
  const double base = config.at("rope_theta");
  const std::optional<double> older = keys.optional_number("rope.scale_linear");
  const std::optional<double> said = keys.optional_number("rope.scaling.factor");
  const double factor = said.value_or(older.value_or(1.0));
  const std::string type = keys.word("rope.scaling.type", factor == 1.0 ? "none" : "linear");
  keys.leave("rope.scaling.finetuned");
  const bool listed = keys.file.has(frequencies_name);
  if (type != "none" && listed) throw keys.refused("rope.scaling.type", "rope_freqs.weight is there, too");
  if (type == "linear") {
    config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", factor}};
  } else if (type == "yarn") {
    config["rope_scaling"] = yarn_scaling(keys, factor, config);
  } else if (type != "none") {
    throw keys.refused("rope.scaling.type", type + " is said, and none, linear and yarn are supported");
  }
  if (listed) {
    config["rope_scaling"] = llama3_scaling(keys, base);
    keys.notes.emplace_back("rope_freqs.weight: the scaling of Llama 3");
  }
  // Without meaning where nothing is scaled by it.
  keys.leave("rope.scaling.original_context_length");
}

}  // namespace heed::tools
