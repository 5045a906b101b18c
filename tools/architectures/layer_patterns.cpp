// SPDX-License-Identifier: MIT
#include "architectures/layer_patterns.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace heed::tools {

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
                 nlohmann::json& architecture) {
  if (const std::optional<std::vector<std::string>> types = config.take_words("layer_types")) {
    if (types->size() != windowed.size()) {
      throw config.refused("layer_types", "it has " + std::to_string(types->size()) + " layers, and the model " +
                                              std::to_string(windowed.size()));
    }
    for (std::size_t block = 0; block < windowed.size(); ++block) {
      const std::string& type = (*types)[block];
      windowed[block] = type == "sliding_attention";
      if (windowed[block] || type == "full_attention") continue;
      throw config.refused("layer_types", type + " is said, and full_attention and sliding_attention are supported");
    }
  }
  if (std::find(windowed.begin(), windowed.end(), true) == windowed.end()) return;
  if (!window) throw config.refused("sliding_window", "layers have a window, and it is not said how long it is");
  std::vector<bool> full(windowed.size());
  for (std::size_t block = 0; block < windowed.size(); ++block) full[block] = !windowed[block];
  architecture["window"] = *window;
  if (const std::uint32_t period = period_of(full, config, "layer_types"); period != 0) {
    architecture["full_every"] = period;
  }
}

}  // namespace heed::tools
