// SPDX-License-Identifier: MIT
//
// A layer's memory on the command line: what `plan` and `pack` have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <optional>
#include <string>

#include "heed/layer.hpp"

namespace heed::tools {

struct LayerMemoryOptions {
  MultiHeadConfig config;  ///< the sizes are the command's own
  std::string kv_type;
};

inline constexpr std::initializer_list<const char*> layer_memory_options{
    "--max-keys", "--max-sequences", "--workers",     "--scratch-budget",
    "--kv-type",  "--ring",          "--sink-tokens", "--page-table"};

void add_layer_memory_options(CLI::App& command, LayerMemoryOptions& options, const std::string& max_keys);
void add_weight_type(CLI::App& command, std::string& place, const std::string& text);

/// Puts what is said in words into the configuration.
void parse_kv_type(LayerMemoryOptions& options);

/// Nothing for an empty text.
[[nodiscard]] std::optional<DataType> parse_weight_type(const std::string& text, bool (*takes)(DataType) noexcept);

/// What a member of a configuration is called where an option of this command gave it: that option.
[[nodiscard]] std::string option_or_member(const CLI::App& command, const std::string& member);
[[nodiscard]] inline auto namer(const CLI::App& command) {
  return [&command](const std::string& member) { return option_or_member(command, member); };
}

}  // namespace heed::tools
