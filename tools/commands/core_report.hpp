// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "commands/plan_report.hpp"
#include "heed/model.hpp"

namespace heed::tools {

/// What is asked about a core; a 0 was not given.
struct CoreOptions {
  std::string core;
  std::uint64_t flash = 0;
  std::uint64_t ram = 0;
  std::uint32_t mhz = 0;
  std::uint64_t flash_rate = 0;
};

/// Adds --core and the options that go with it.
void add_core_options(CLI::App& command, CoreOptions& options);

/// A Failure where what was given of them means nothing alone.
void check_core_options(const CLI::App& command, const CoreOptions& options);

/// Whether a model fits a core's memories, its longest cache that does, and how fast it would be.
struct CoreReport {
  std::string text;
  nlohmann::ordered_json json;
};

/// `flash` is the bytes of the whole file; `memory` what the plan was made with.
[[nodiscard]] CoreReport report_core(const CoreOptions& options, const ModelPlan& plan, std::uint64_t file);

}  // namespace heed::tools
