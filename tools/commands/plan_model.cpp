// SPDX-License-Identifier: MIT
#include "commands/plan_model.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "commands/model_report.hpp"
#include "options/memory_options.hpp"
#include "support/planned.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/memory_plan.hpp"

namespace heed::tools {

namespace {

/// The tokenizer in the file lies in flash, too.
void add_tokenizer(Report& report, const LoadedModel& file) {
  if (file.tokenizer().empty()) return;
  const std::size_t offset = file.bytes().size() - file.tokenizer().size();
  if (file.bytes().size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Failure(file.name() + ": " + std::to_string(file.bytes().size()) + " bytes: 2^32 or more with its tokenizer");
  }
  report.memories.push_back({"tokenizer after the model",
                             static_cast<std::uint32_t>(offset),
                             static_cast<std::uint32_t>(file.tokenizer().size()),
                             1,
                             {}});
  report.totals.weights = static_cast<std::uint32_t>(file.bytes().size());
}

}  // namespace

void add_storage(nlohmann::ordered_json& to, const MultiHeadConfig& cache, std::initializer_list<NamedFormat> weights) {
  to["key_type"] = to_word(cache.key_type);
  to["value_type"] = to_word(cache.value_type);
  if (cache.ring != 0) to["ring"] = 1;
  if (cache.sink_tokens != 0) to["sink_tokens"] = cache.sink_tokens;
  if (cache.max_pages != 0) to["max_pages"] = cache.max_pages;
  std::vector<std::string> names;
  const auto add = [&](const char* name) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (*name != '\0' && !known) names.push_back(name);
  };
  for (const NamedFormat& format : weights) add(format.name);
  add(cache_format(cache.key_type).name);
  add(cache_format(cache.value_type).name);
  add(cache.ring != 0 ? "kv_ring" : "");
  add(cache.max_pages != 0 ? "kv_pages" : "");
  if (!names.empty()) to["names"] = names;
}

Report report_model(const CLI::App& command, const PlanOptions& options) {
  const LoadedModel file(options.model, std::make_shared<const MappedFile>(options.model));
  const ModelConfig& config = file.config();
  const MultiHeadConfig& asked = options.layer.config;
  if (asked.max_keys > config.max_positions) {
    throw Failure("--max-keys " + std::to_string(asked.max_keys) + ": the model has " +
                  std::to_string(config.max_positions) + " positions");
  }
  const bool crosses = config.block.cross_dim != 0;
  if (options.context != 0 && !crosses) throw Failure("--context means nothing without cross-attention");
  BlockMemory memory = to_memory(options.rows, asked);
  if (memory.max_keys == 0) memory.max_keys = memory.max_cross_keys = config.max_positions;
  if (options.context != 0) memory.max_cross_keys = options.context;
  if (memory.rows == 0) memory.rows = config.encoder ? memory.max_keys : 1;
  const ModelPlan plan = memory_plan(config, memory, file.name(), namer(command));
  const BlockMemory& made = plan.block.memory;
  Report report{"model",
                {{"rows", made.rows},
                 {"max_keys", made.max_keys},
                 {"workers", made.workers},
                 {"scratch_budget", made.scratch_budget}},
                describe_memories(plan),
                {.state = plan.state_bytes, .scratch = plan.scratch_bytes, .weights = plan.file.bytes}};
  add_tokenizer(report, file);
  if (!options.core.core.empty()) report.core = report_core(options.core, plan, file.bytes().size());
  if (crosses) {
    report.config["max_cross_keys"] = made.max_cross_keys;
    report.config["cross_type"] = to_word(made.cross_type);
  }
  add_storage(report.config, asked,
              {weight_format(config.input_type, detail::table_row_type(config)), weight_format(plan.block.products),
               weight_format(config.head_type, detail::head_row_type(config))});
  return report;
}

}  // namespace heed::tools
