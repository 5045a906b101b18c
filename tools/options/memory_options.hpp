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
  std::uint32_t max_keys = 0;
  std::uint32_t max_cross_keys = 0;
  std::uint32_t scratch_budget = 0;
  std::uint32_t workers = 1;
  std::string kv_type;
};

/// --rows, --scratch-budget, --workers and --kv-type.
void add_memory_options(CLI::App& command, MemoryOptions& options);

[[nodiscard]] BlockMemory to_memory(const MemoryOptions& options);

}  // namespace heed::tools
