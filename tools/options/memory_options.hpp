// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "heed/block.hpp"

namespace heed::tools {

/// What a device gives a model, on the command line. 0 or empty: not given.
struct MemoryOptions {
  std::uint32_t rows = 0;
  MultiHeadConfig layer{.workers = 1};  ///< of every attention, but for the sizes
  std::string kv_type;
};

/// --rows, --scratch-budget, --workers and --kv-type.
void add_memory_options(CLI::App& command, MemoryOptions& options);

[[nodiscard]] BlockMemory to_memory(const MemoryOptions& options);
[[nodiscard]] BlockMemory to_memory(std::uint32_t rows, const MultiHeadConfig& layer);

}  // namespace heed::tools
