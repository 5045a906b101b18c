// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/board_report.hpp"
#include "commands/commands.hpp"
#include "commands/plan_model.hpp"
#include "commands/plan_report.hpp"
#include "formats/config_members.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "options/layer_options.hpp"
#include "options/memory_options.hpp"
#include "options/presence.hpp"
#include "support/data_types.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

/// planned() in the words of the command line.
template <class Plan, class... Configs>
Plan planned_by(const CLI::App& command, const char* what, const Configs&... configs) {
  return planned_as<Plan>(namer(command), what, configs...);
}

Report report_attention(const CLI::App& command, const MultiHeadConfig& asked) {
  const auto plan =
      planned_by<AttentionPlan>(command, "this attention has no plan",
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
          {.scratch = plan.bytes}};
}

Report report_cache(const CLI::App& command, const MultiHeadConfig& asked) {
  const auto plan =
      planned_by<KvCachePlan>(command, "this cache has no plan",
                              KvCacheConfig{.max_sequences = asked.max_sequences,
                                            .kv_heads = asked.kv_heads == 0 ? asked.heads : asked.kv_heads,
                                            .head_dim = asked.head_dim,
                                            .value_dim = asked.value_dim,
                                            .max_keys = asked.max_keys,
                                            .sink_tokens = asked.sink_tokens,
                                            .key_type = asked.key_type,
                                            .value_type = asked.value_type,
                                            .ring = asked.ring});
  const KvCacheConfig& config = plan.config;
  Report report{"key-value cache",
                {{"max_sequences", config.max_sequences},
                 {"kv_heads", config.kv_heads},
                 {"head_dim", config.head_dim},
                 {"value_dim", config.value_dim},
                 {"max_keys", config.max_keys}},
                {describe_arena(plan)},
                {.state = plan.bytes}};
  add_storage(report.config, asked, {});
  return report;
}

Report report_layer(const CLI::App& command, const MultiHeadConfig& asked) {
  const auto plan = planned_by<MultiHeadPlan>(command, "this multi-head layer has no plan", asked);
  const MultiHeadConfig& config = plan.config;
  Report report{"multi-head attention",
                {},
                {describe_arena(plan), describe_weights(plan)},
                {.state = plan.state_bytes, .scratch = plan.scratch_bytes, .weights = plan.weights_bytes}};
  const auto add = [&](const char* member, std::uint32_t value) { report.config[member] = value; };
  for_each_layer_size(config, add);
  for_each_layer_count(config, add);
  // Its default is two numbers, one for each kind of scratch.
  if (config.scratch_budget == 0) report.config.erase("scratch_budget");
  report.config["weight_type"] = to_word(config.weight_type);
  add_storage(report.config, config, {weight_format(plan.products)});
  return report;
}

/// A list without JSON's marks.
std::string to_line(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& entry : value) text += (text.empty() ? "" : ", ") + to_line(entry);
  return text;
}

void print(const Report& report, const PlanOptions& options) {
  if (options.json) {
    nlohmann::ordered_json json{{"kind", report.title}, {"config", report.config}};
    for (const PlanNode& memory : report.memories) json["memories"].push_back(to_json(memory));
    json["totals"] = to_json(report.totals);
    if (options.boards) json["boards"] = boards_json(report.totals);
    if (!report.core.json.is_null()) json["core"] = report.core.json;
    std::cout << json.dump(2) << '\n';
    return;
  }
  std::cout << report.title << '\n';
  for (const auto& [name, value] : report.config.items()) std::cout << "  " << name << ' ' << to_line(value) << '\n';
  std::cout << '\n' << to_table(report.memories) << '\n';
  for (const PlanNode& memory : report.memories) {
    std::cout << memory.name << ": " << memory.bytes << " bytes in total\n";
  }
  std::cout << '\n' << to_text(report.totals);
  if (options.boards) std::cout << '\n' << boards_text(report.totals);
  if (!report.core.text.empty()) std::cout << '\n' << report.core.text;
}

void run_plan(const CLI::App& command, PlanOptions& options) {
  parse_kv_type(options.layer);
  MultiHeadConfig& config = options.layer.config;
  config.weight_type = parse_weight_type(options.weight_type, &is_float_row_type).value_or(DataType::float32);
  if (!options.model.empty()) {
    require_unused(command,
                   {"--cache", "--model-dim", "--heads", "--kv-heads", "--head-dim", "--value-dim", "--kv-input-dim",
                    "--output-dim", "--max-sequences", "--page-table", "--weight-type"},
                   "for a model file");
    check_core_options(command, options.core);
    print(report_model(command, options), options);
    return;
  }
  require_unused(command, {"--rows", "--context", "--boards", "--core", "--flash", "--ram", "--mhz", "--flash-rate"},
                 "for anything but a model file");
  if (options.cache) {
    require_unused(command,
                   {"--model-dim", "--kv-input-dim", "--output-dim", "--heads", "--workers", "--scratch-budget",
                    "--page-table", "--weight-type"},
                   "for a cache");
    require_given(command, {"--head-dim", "--max-keys"}, "for a cache");
    print(report_cache(command, config), options);
  } else if (command.count("--model-dim") != 0) {
    require_given(command, {"--max-keys"}, "for a multi-head layer");
    if (config.model_dim < config.heads) require_given(command, {"--head-dim"}, "for so many --heads");
    print(report_layer(command, config), options);
  } else {
    require_unused(command,
                   {"--kv-input-dim", "--output-dim", "--max-sequences", "--weight-type", "--kv-type", "--ring",
                    "--sink-tokens", "--page-table"},
                   "for attention alone; give --model-dim or --cache");
    require_given(command, {"--head-dim"}, "for attention alone");
    print(report_attention(command, config), options);
  }
}

}  // namespace

void add_plan(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("plan", "every byte of a model, an attention, a multi-head layer or a cache");
  const auto options = std::make_shared<PlanOptions>();
  const auto count = [&](const char* name, std::uint32_t& place, const char* text, const char* type = "COUNT") {
    add_count(command, name, place, text, type);
  };
  MultiHeadConfig& config = options->layer.config;
  command.add_option("model", options->model, "a model file of `heed pack`")->type_name("FILE");
  command.add_flag("--cache", options->cache, "a key-value cache alone");
  command.add_flag("--boards", options->boards, "of a model: which of the boards in ports/boards it fits");
  command.add_flag("--json", options->json, "print JSON instead of a table");
  begin_group(command, "Sizes of an attention, a layer or a cache");
  count("--model-dim", config.model_dim, "width of the input; makes it a multi-head layer");
  count("--heads", config.heads, "query heads; 1 unless given");
  count("--kv-heads", config.kv_heads, "key and value heads; --heads unless given");
  count("--head-dim", config.head_dim, "length of a query; model_dim / heads unless given");
  count("--value-dim", config.value_dim, "length of a value; --head-dim unless given");
  count("--kv-input-dim", config.kv_input_dim, "width of the input of keys and values; --model-dim unless given");
  count("--output-dim", config.output_dim, "width of the output; --model-dim unless given");
  add_weight_type(command, options->weight_type, "of a layer: store its matrices as");
  add_layer_memory_options(
      command, options->layer,
      "most keys, of each sequence; attention alone needs no bound, and a model has its max_positions unless given");
  count("--rows", options->rows, "of a model: most rows at once; 1 for a decoder, all for an encoder unless given");
  count("--context", options->context,
        "of a model with cross-attention: the rows that it looks at; as --max-keys unless given");
  add_core_options(command, options->core);
  add_example(command, "heed plan model.heed --boards");
  command.callback([&command, options] { run_plan(command, *options); });
}

}  // namespace heed::tools
