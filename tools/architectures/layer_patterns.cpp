// SPDX-License-Identifier: MIT
#include "architectures/layer_patterns.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace heed::tools {

namespace {

/// Which layers have a window, as layer_types says; nothing where it is not there.
std::optional<std::vector<bool>> take_layer_types(PublishedConfig& config, std::size_t layers) {
  const std::optional<std::vector<std::string>> types = config.take_words("layer_types");
  if (!types) return {};
  if (types->size() != layers) {
    throw config.refused(
        "layer_types", "it has " + std::to_string(types->size()) + " layers, and the model " + std::to_string(layers));
  }
  std::vector<bool> windowed;
  for (const std::string& type : *types) {
    windowed.push_back(type == "sliding_attention");
    if (windowed.back() || type == "full_attention") continue;
    throw config.refused("layer_types", type + " is said, and full_attention and sliding_attention are supported");
  }
  return windowed;
}

}  // namespace

std::uint32_t period_of(const std::vector<bool>& marked, const PublishedConfig& config, const char* member) {
  const auto first = std::find(marked.begin(), marked.end(), true);
  if (first == marked.end()) return 0;
  const auto period = static_cast<std::uint32_t>(first - marked.begin()) + 1;
  for (std::size_t block = 0; block < marked.size(); ++block) {
    if (marked[block] == ((block + 1) % period == 0)) continue;
    throw config.refused(member, "block " + std::to_string(block) + " is not as every " + std::to_string(period) +
                                     ". block from the first one would be, which alone is supported");
  }
  return period;
}

void take_window(PublishedConfig& config, std::optional<std::uint32_t> window, std::vector<bool> windowed,
                 const char* member, const std::string& missing, nlohmann::json& architecture) {
  if (const std::optional<std::vector<bool>> said = take_layer_types(config, windowed.size())) {
    windowed = *said;
    member = "layer_types";
  }
  if (std::find(windowed.begin(), windowed.end(), true) == windowed.end()) return;
  if (!window) throw config.refused(member, "layers have a window, and " + missing);
  std::vector<bool> full(windowed.size());
  for (std::size_t block = 0; block < windowed.size(); ++block) full[block] = !windowed[block];
  architecture["window"] = *window;
  if (const std::uint32_t period = period_of(full, config, member); period != 0) architecture["full_every"] = period;
}

void require_layer_types(PublishedConfig& config, const nlohmann::json& architecture) {
  const auto blocks = architecture.at("blocks").get<std::size_t>();
  const std::optional<std::vector<bool>> said = take_layer_types(config, blocks);
  if (!said) return;
  const std::uint32_t full_every = architecture.value("full_every", 0U);
  for (std::size_t block = 0; block < blocks; ++block) {
    const bool windowed = architecture.contains("window") && (full_every == 0 || (block + 1) % full_every != 0);
    if (windowed == (*said)[block]) continue;
    throw config.refused("layer_types", "the library's class does not read it, and block " + std::to_string(block) +
                                            (windowed ? " has a window" : " sees everything"));
  }
}

}  // namespace heed::tools
