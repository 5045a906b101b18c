// SPDX-License-Identifier: MIT
//
// Layers that differ in one thing, as every n-th of them, which is what a model of equal blocks can say.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "architectures/published_config.hpp"

namespace heed::tools {

/// The n for which block b has the mark if (b + 1) % n == 0, 0 if none has it, 1 if all have. A Failure of `config`
/// that names `member` and the first block that is otherwise.
[[nodiscard]] std::uint32_t period_of(const std::vector<bool>& marked, const PublishedConfig& config,
                                      const char* member);

/// Why there is no window where one is needed, usually.
inline constexpr const char* no_window = "sliding_window does not say how long it is";

/// Puts the window of the layers that `layer_types`, or by default `windowed`, which follows from `member`, says into
/// an architecture. Null for the window is none, and `missing` says why.
void take_window(PublishedConfig& config, std::optional<std::uint32_t> window, std::vector<bool> windowed,
                 const char* member, const std::string& missing, nlohmann::json& architecture);

/// `layer_types` of a class that does not read it: it has to say what the architecture has.
void require_layer_types(PublishedConfig& config, const nlohmann::json& architecture);

}  // namespace heed::tools
