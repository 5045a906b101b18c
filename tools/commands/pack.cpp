// SPDX-License-Identifier: MIT
#include <initializer_list>
#include <iostream>
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "commands/pack_model.hpp"
#include "formats/files.hpp"
#include "formats/packed_source.hpp"
#include "heed/detail/layout.hpp"
#include "heed/multi_head.hpp"
#include "options/count_option.hpp"
#include "options/output_option.hpp"
#include "options/presence.hpp"
#include "options/weight_options.hpp"
#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

/// Packed weights depend on none of these; an arena does.
struct ArenaOptions {
  std::uint32_t max_keys = 1;
  std::uint32_t sequences = 1;
  std::uint32_t workers = 1;
  std::uint32_t scratch_budget = 0;
};

struct PackOptions {
  PackModelOptions model;
  WeightOptions weights;
  std::string out;
  std::string array;
  std::string definition;
  ArenaOptions arena;
};

/// Whether the arena's size is asked for.
bool wants_arena(const CLI::App& command, const PackOptions& options) {
  const bool arena = command.count("--max-keys") != 0;
  for (const char* option : {"--max-keys", "--max-sequences", "--workers", "--scratch-budget"}) {
    if (command.count(option) == 0) continue;
    if (options.array.empty()) throw Failure(std::string(option) + " means nothing without --c-array");
    if (!arena) throw Failure(std::string(option) + " means nothing without --max-keys");
  }
  return arena;
}

void run_pack_model(const CLI::App& command, const PackOptions& options) {
  const char* const where = "for a whole model";
  require_unused(command, {"--heads", "--kv-heads", "--head-dim", "--value-dim", "--prefix"}, where);
  require_unused(command, {"--max-keys", "--max-sequences", "--workers", "--scratch-budget"}, where);
  require_unused(command, {"--in-proj-weight", "--in-proj-bias", "--q-weight", "--k-weight", "--v-weight"}, where);
  require_unused(command, {"--q-bias", "--k-bias", "--v-bias", "--out-weight", "--out-bias"}, where);
  if (!options.model.incbin.empty()) require_unused(command, {"--c-array"}, "with --incbin");
  if (!options.model.llama2c.empty()) {
    require_unused(command, {"--model", "--weights", "--allow-unused"}, "with --llama2c");
  } else if (options.weights.weights.empty()) {
    throw Failure("--weights is required");
  }
  pack_model_file(options.model, options.weights.weights, options.out, options.array, options.definition);
}

void run_pack(const CLI::App& command, const PackOptions& options) {
  const bool header = command.count("--c-array") != 0;
  if (header) require_c_name("--c-array", options.array);
  if (!options.definition.empty() && !header) throw Failure("--extern means nothing without --c-array");
  if (!options.model.model.empty() || !options.model.llama2c.empty()) {
    run_pack_model(command, options);
    return;
  }
  require_unused(command, {"--incbin", "--allow-unused", "--weight-type"}, "for a layer");
  for (const char* option : {"--weights", "--heads"}) {
    if (command.count(option) == 0) throw Failure(std::string(option) + " is required");
  }
  const bool arena = wants_arena(command, options);
  const std::string& file = options.weights.weights;
  const LayerWeights weights(file, options.weights.names, options.weights.sizes);
  weights.require_one_memory();
  MultiHeadConfig config = weights.config();
  config.max_keys = options.arena.max_keys;
  config.max_sequences = options.arena.sequences;
  config.workers = options.arena.workers;
  config.scratch_budget = options.arena.scratch_budget;
  const auto plan = planned<MultiHeadPlan>(file, config);

  AlignedBytes packed(plan.weights_bytes);
  require_ok(pack_weights(plan, weights.views(plan), packed.span()), file);
  const std::span<const std::byte> bytes = packed.span();
  OutputFiles files;
  if (header) {
    add_c_source(files, options.out, options.definition, packed_source(options.array, plan, bytes, arena));
  } else {
    files.add(options.out, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "--out");
  }
  files.write();
  std::cout << weights.sizes();
}

}  // namespace

void add_pack(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("pack", "a model, or a layer's weights, in the layout that firmware keeps in flash");
  const auto options = std::make_shared<PackOptions>();
  const auto count = [&](const char* name, std::uint32_t& place, const char* text, const char* type = "COUNT") {
    add_count(command, name, place, text, type);
  };
  command
      .add_option("--model", options->model.model,
                  "write a whole model file: its architecture as JSON, and the names of its tensors")
      ->type_name("FILE");
  command.add_option("--llama2c", options->model.llama2c, "write a whole model file from one of llama2.c, version 0")
      ->type_name("FILE");
  command.add_flag("--allow-unused", options->model.allow_unused,
                   "with --model: let the file have tensors that the model does not read");
  command
      .add_option("--weight-type", options->model.weight_type,
                  "with a model: store its matrices as float32, float16, bfloat16, int8, int8_groups or int4_groups")
      ->type_name("TYPE");
  command
      .add_option("--incbin", options->model.incbin,
                  "with a model: an assembler file that puts --out into constant data under this name, and a header")
      ->type_name("NAME FILE")
      ->expected(2);
  add_weight_options(command, options->weights);
  for (const char* option : {"--weights", "--heads"}) command.get_option(option)->required(false);
  add_output(command, "--out", options->out, "the packed weights: their bytes, or a header with --c-array")->required();
  command
      .add_option("--c-array", options->array,
                  "write a header for C and C++: a constant array of this name, and NAME_config")
      ->type_name("NAME");
  add_output(command, "--extern", options->definition,
             "write the array to this C file, and only its declaration to the header, for many files to include");
  count("--max-keys", options->arena.max_keys, "tokens in the cache; puts the arena's size into the header");
  count("--max-sequences", options->arena.sequences, "for the arena: token streams in the cache; 1 unless given");
  add_count(command, "--workers", options->arena.workers, "for the arena: tasks at once, 1 to 64; 1 unless given",
            "COUNT", max_workers);
  count("--scratch-budget", options->arena.scratch_budget, "for the arena: scratch per worker to aim for", "BYTES");
  add_weight_names(command, options->weights.names);
  command.callback([&command, options] { run_pack(command, *options); });
}

}  // namespace heed::tools
