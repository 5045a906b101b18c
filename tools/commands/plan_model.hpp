// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/core_report.hpp"
#include "commands/plan_report.hpp"
#include "options/layer_options.hpp"
#include "support/data_types.hpp"

namespace heed::tools {

struct PlanOptions {
  LayerMemoryOptions layer;   ///< the widest of the configurations: every option has its field here
  std::string weight_type;    ///< of a layer
  std::string model;          ///< a model file
  std::uint32_t rows = 0;     ///< of a model
  std::uint32_t context = 0;  ///< likewise
  CoreOptions core;           ///< likewise
  bool cache = false;
  bool boards = false;
  bool json = false;
};

struct Report {
  std::string title;
  nlohmann::ordered_json config;
  std::vector<PlanNode> memories;
  PlanTotals totals;
  CoreReport core{};  ///< of a model with --core
};

/// How the cache is stored, and what a program has to name beside the plan for that and for the types of its weights.
void add_storage(nlohmann::ordered_json& to, const MultiHeadConfig& cache, std::initializer_list<NamedFormat> weights);

/// Of a model file. An encoder's rows all go through at once; a decoder's may go one by one.
[[nodiscard]] Report report_model(const CLI::App& command, const PlanOptions& options);

}  // namespace heed::tools
