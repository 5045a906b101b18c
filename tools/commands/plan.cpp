// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/model_report.hpp"
#include "commands/plan_report.hpp"
#include "formats/config_fields.hpp"
#include "options/count_option.hpp"
#include "options/kv_cache_options.hpp"
#include "options/presence.hpp"
#include "support/planned.hpp"
#include "tensors/loaded_model.hpp"

namespace heed::tools {

namespace {

struct PlanOptions {
  MultiHeadConfig config;  ///< the widest of the three configurations: every option has its field here
  std::string kv_type;     ///< of a KvCache; empty: a FloatKvCache, as a layer has it
  std::string model;       ///< a model file
  std::uint32_t rows = 0;  ///< of a model
  bool cache = false;
  bool json = false;
};

struct Report {
  std::string title;
  nlohmann::ordered_json config;
  std::vector<PlanNode> memories;
  PlanTotals totals;
};

Report report_attention(const MultiHeadConfig& asked) {
  const auto plan = planned<AttentionPlan>("this attention has no plan",
                                           AttentionConfig{asked.heads, asked.kv_heads, asked.head_dim, asked.value_dim,
                                                           asked.max_keys, asked.workers, asked.scratch_budget});
  const AttentionConfig& config = plan.config;
  return {"attention",
          {{"heads", config.heads},
           {"kv_heads", config.kv_heads},
           {"head_dim", config.head_dim},
           {"value_dim", config.value_dim},
           {"max_keys", config.max_keys},
           {"workers", config.workers},
           {"scratch_budget", config.scratch_budget}},
          {describe_arena(plan)},
          totals_of(plan)};
}

Report report_cache(const MultiHeadConfig& asked) {
  const std::uint32_t kv_heads = asked.kv_heads == 0 ? asked.heads : asked.kv_heads;
  const auto plan = planned<FloatKvCachePlan>(
      "this cache has no plan",
      FloatKvCacheConfig{asked.max_sequences, kv_heads, asked.head_dim, asked.value_dim, asked.max_keys});
  const FloatKvCacheConfig& config = plan.config;
  return {"key-value cache",
          {{"max_sequences", config.max_sequences},
           {"kv_heads", config.kv_heads},
           {"head_dim", config.head_dim},
           {"value_dim", config.value_dim},
           {"max_keys", config.max_keys}},
          {describe_arena(plan)},
          totals_of(plan)};
}

Report report_typed_cache(const MultiHeadConfig& asked, const std::string& kv_type) {
  const KvTypes types = parse_kv_type(kv_type);
  const auto plan = planned<KvCachePlan>("this cache has no plan",
                                         KvCacheConfig{.max_sequences = asked.max_sequences,
                                                       .kv_heads = asked.kv_heads == 0 ? asked.heads : asked.kv_heads,
                                                       .head_dim = asked.head_dim,
                                                       .value_dim = asked.value_dim,
                                                       .max_keys = asked.max_keys,
                                                       .key_type = types.key,
                                                       .value_type = types.value});
  const KvCacheConfig& config = plan.config;
  return {"key-value cache",
          {{"max_sequences", config.max_sequences},
           {"kv_heads", config.kv_heads},
           {"head_dim", config.head_dim},
           {"value_dim", config.value_dim},
           {"max_keys", config.max_keys},
           {"kv_type", kv_type}},
          {describe_arena(plan)},
          totals_of(plan)};
}

Report report_layer(const MultiHeadConfig& asked) {
  const auto plan = planned<MultiHeadPlan>("this multi-head layer has no plan", asked);
  Report report{"multi-head attention", {}, {describe_arena(plan), describe_weights(plan)}, totals_of(plan)};
  for (const auto& [name, value] : fields_of(plan.config)) report.config[name] = value;
  // Its default is two numbers, one for each kind of scratch.
  if (plan.config.scratch_budget == 0) report.config.erase("scratch_budget");
  return report;
}

template <class Cache>
Report report_model(const LoadedModel& file, const BlockMemory& memory) {
  const ModelPlan<Cache> plan = memory_plan<Cache>(file.config(), memory, file.name());
  const BlockMemory& made = plan.block.memory;
  return {"model",
          {{"rows", made.rows},
           {"max_keys", made.max_keys},
           {"workers", made.workers},
           {"scratch_budget", made.scratch_budget}},
          describe_memories(plan),
          totals_of(plan)};
}

/// An encoder's rows all go through at once; a decoder's may go one by one.
Report report_model(const PlanOptions& options) {
  const LoadedModel file(options.model);
  const ModelConfig& config = file.config();
  const KvTypes types = options.kv_type.empty() ? KvTypes{} : parse_kv_type(options.kv_type);
  BlockMemory memory{.rows = options.rows,
                     .max_keys = options.config.max_keys,
                     .max_cross_keys = options.config.max_keys,
                     .workers = options.config.workers,
                     .scratch_budget = options.config.scratch_budget,
                     .key_type = types.key,
                     .value_type = types.value,
                     .cross_type = types.key};
  if (memory.max_keys == 0) memory.max_keys = memory.max_cross_keys = config.max_positions;
  if (memory.rows == 0) memory.rows = config.causal ? 1 : memory.max_keys;
  if (options.kv_type.empty()) return report_model<FloatKvCache>(file, memory);
  Report report = report_model<KvCache>(file, memory);
  report.config["kv_type"] = options.kv_type;
  return report;
}

void print(const Report& report, bool as_json) {
  if (as_json) {
    nlohmann::ordered_json json{{"kind", report.title}, {"config", report.config}};
    for (const PlanNode& memory : report.memories) json["memories"].push_back(to_json(memory));
    json["totals"] = to_json(report.totals);
    std::cout << json.dump(2) << '\n';
    return;
  }
  std::cout << report.title << '\n';
  for (const auto& [name, value] : report.config.items()) std::cout << "  " << name << ' ' << value << '\n';
  std::cout << '\n' << to_table(report.memories) << '\n';
  for (const PlanNode& memory : report.memories) {
    std::cout << memory.name << ": " << memory.bytes << " bytes in total\n";
  }
  std::cout << '\n' << to_text(report.totals);
}

void run_plan(const CLI::App& command, const PlanOptions& options) {
  if (!options.model.empty()) {
    require_unused(command,
                   {"--cache", "--model-dim", "--heads", "--kv-heads", "--head-dim", "--value-dim", "--kv-input-dim",
                    "--output-dim", "--max-sequences"},
                   "for a model file");
    print(report_model(options), options.json);
    return;
  }
  require_unused(command, {"--rows"}, "for anything but a model file");
  const bool layer = command.count("--model-dim") != 0;
  if (options.cache) {
    require_unused(command,
                   {"--model-dim", "--kv-input-dim", "--output-dim", "--heads", "--workers", "--scratch-budget"},
                   "for a cache");
    require_given(command, {"--head-dim", "--max-keys"}, "for a cache");
    print(options.kv_type.empty() ? report_cache(options.config) : report_typed_cache(options.config, options.kv_type),
          options.json);
    return;
  }
  require_unused(command, {"--kv-type"}, "for anything but --cache and a model file");
  if (layer) {
    require_given(command, {"--max-keys"}, "for a multi-head layer");
    if (options.config.model_dim < options.config.heads) require_given(command, {"--head-dim"}, "for so many --heads");
    print(report_layer(options.config), options.json);
  } else {
    require_unused(command, {"--kv-input-dim", "--output-dim", "--max-sequences"},
                   "for attention alone; give --model-dim");
    require_given(command, {"--head-dim"}, "for attention alone");
    print(report_attention(options.config), options.json);
  }
}

}  // namespace

void add_plan(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("plan", "every byte of a model, an attention, a multi-head layer or a cache");
  const auto options = std::make_shared<PlanOptions>();
  const auto count = [&](const char* name, std::uint32_t& place, const char* text, const char* type = "COUNT") {
    add_count(command, name, place, text, type);
  };
  MultiHeadConfig& config = options->config;
  command.add_option("model", options->model, "a model file of `heed pack`")->type_name("FILE");
  command.add_flag("--cache", options->cache, "a key-value cache alone");
  command
      .add_option("--kv-type", options->kv_type,
                  "with --cache or a model: keys and values as f32, f16, bf16, int8 or int4, or KEYS:VALUES of them")
      ->type_name("TYPE");
  count("--rows", options->rows, "of a model: most rows at once; 1 for a decoder, all for an encoder unless given");
  count("--model-dim", config.model_dim, "width of the input; makes it a multi-head layer");
  count("--heads", config.heads, "query heads; 1 unless given");
  count("--kv-heads", config.kv_heads, "key and value heads; --heads unless given");
  count("--head-dim", config.head_dim, "length of a query; model_dim / heads unless given");
  count("--value-dim", config.value_dim, "length of a value; --head-dim unless given");
  count("--kv-input-dim", config.kv_input_dim, "width of the input of keys and values; --model-dim unless given");
  count("--output-dim", config.output_dim, "width of the output; --model-dim unless given");
  count("--max-keys", config.max_keys,
        "most keys; attention alone needs no bound, and a model has its max_positions unless given");
  count("--max-sequences", config.max_sequences, "token streams in the cache; 1 unless given");
  add_count(command, "--workers", config.workers, "tasks at once, 1 to 64; 1 unless given", "COUNT", max_workers);
  count("--scratch-budget", config.scratch_budget, "bytes of scratch per worker to aim for", "BYTES");
  command.add_flag("--json", options->json, "print JSON instead of a table");
  command.callback([&command, options] { run_plan(command, *options); });
}

}  // namespace heed::tools
