// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "commands/commands.hpp"
#include "commands/pack_model.hpp"
#include "formats/files.hpp"
#include "formats/packed_source.hpp"
#include "heed/layer.hpp"
#include "options/help_format.hpp"
#include "options/layer_options.hpp"
#include "options/output_option.hpp"
#include "options/presence.hpp"
#include "options/weight_options.hpp"
#include "support/aligned_bytes.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

struct PackOptions {
  PackModelOptions model;
  WeightOptions weights;
  std::string out;
  std::string array;
  std::string definition;
  LayerMemoryOptions arena;  ///< packed weights depend on none of these; an arena does
  std::string weight_type;
  std::string activations;
  std::string requantize;
};

constexpr std::initializer_list<const char*> folder_options = {"--part", "--model-type", "--ignore-member"};

/// Whether the arena's size is asked for.
bool wants_arena(const CLI::App& command, const PackOptions& options) {
  const bool arena = command.count("--max-keys") != 0;
  for (const char* option : layer_memory_options) {
    if (command.count(option) == 0) continue;
    if (options.array.empty()) throw Failure(std::string(option) + " means nothing without --c-array");
    if (!arena) throw Failure(std::string(option) + " means nothing without --max-keys");
  }
  return arena;
}

/// KIND=TYPE of --activations.
void add_named_rows(const std::string& what, const std::string& entry, StoredTypes& types) {
  const std::size_t equals = entry.find('=');
  const std::string word = entry.substr(0, equals);
  std::string known;
  for (const std::string_view name : row_words) known += (known.empty() ? "" : ", ") + std::string(name);
  if (equals == std::string::npos ||
      std::find(std::begin(row_words), std::end(row_words), word) == std::end(row_words)) {
    throw Failure(what + ": " + entry + ": KIND=TYPE is needed, with one of " + known);
  }
  const DataType type = parse_data_type(what + ": " + word, entry.substr(equals + 1), &is_row_type);
  if (!types.named_rows.emplace(word, type).second) throw Failure(what + ": " + word + " is there twice");
}

StoredTypes parse_types(PackOptions& options) {
  StoredTypes types{parse_weight_type(options.weight_type, &is_weight_type), {}};
  const std::string what = "--activations " + options.activations;
  std::istringstream entries(options.activations);
  std::string all;
  std::getline(entries, all, ',');
  for (std::string entry; std::getline(entries, entry, ',');) add_named_rows(what, entry, types);
  if (options.activations.ends_with(',')) add_named_rows(what, "", types);
  options.model.choose_rows = all == "auto";
  if (options.model.choose_rows) {
    if (options.model.calibrate.empty()) throw Failure(what + " needs --calibrate");
    types.rows = DataType::int16;
  } else if (!options.activations.empty()) {
    types.rows = parse_data_type(what, all, &is_row_type);
  }
  const bool integers = types.rows.value_or(DataType::float32) != DataType::float32 ||
                        std::any_of(types.named_rows.begin(), types.named_rows.end(),
                                    [](const auto& named) { return named.second != DataType::float32; });
  if (!options.requantize.empty()) {
    const std::string word = "--requantize " + options.requantize;
    if (types.weights) throw Failure(word + " excludes --weight-type");
    options.model.requantize = integers ? parse_data_type(word, options.requantize, &is_integer_row_type)
                                        : parse_data_type(word, options.requantize, &is_float_row_type);
  }
  if (integers && types.weights && !is_integer_row_type(*types.weights)) {
    throw Failure("--weight-type " + options.weight_type + ": one of int8, int8_multipliers, int4_multipliers is " +
                  "needed with " + what);
  }
  return types;
}

void run_pack_model(const CLI::App& command, PackOptions& options) {
  const char* const where = "for a whole model";
  require_unused(command, {"--heads", "--kv-heads", "--head-dim", "--value-dim", "--prefix"}, where);
  require_unused(command, layer_memory_options, where);
  require_unused(command, {"--in-proj-weight", "--in-proj-bias", "--q-weight", "--k-weight", "--v-weight"}, where);
  require_unused(command, {"--q-bias", "--k-bias", "--v-bias", "--out-weight", "--out-bias"}, where);
  if (options.model.folder.empty()) require_unused(command, folder_options, "without a folder");
  if (!options.model.folder.empty()) {
    require_unused(command, {"--model", "--weights", "--llama2c"}, "with a folder or a GGUF file");
    if (is_gguf_file(options.model.folder)) require_unused(command, folder_options, "for a GGUF file");
  } else if (!options.model.llama2c.empty()) {
    require_unused(command, {"--model", "--weights", "--allow-unused"}, "with --llama2c");
  } else if (options.weights.weights.empty()) {
    throw Failure("--weights is required");
  }
  const StoredTypes types = parse_types(options);
  pack_model_file(options.model, types, options.weights.weights, options.out, options.array, options.definition);
}

void run_pack(const CLI::App& command, PackOptions& options) {
  const bool header = command.count("--c-array") != 0;
  if (header) require_c_name("--c-array", options.array);
  if (!options.definition.empty() && !header) throw Failure("--extern means nothing without --c-array");
  const PackModelOptions& model = options.model;
  if (!model.tokenizer.empty() && model.folder.empty()) throw Failure("--tokenizer means nothing without a folder");
  if (model.no_tokenizer && model.folder.empty()) throw Failure("--no-tokenizer means nothing without a folder");
  if (!model.tokenizer.empty() && options.out.empty()) {
    for (const CLI::Option* option : command.get_options()) {
      const bool own = option->get_name() == "folder" || option->get_name() == "--tokenizer";
      if (option->count() != 0 && !own) throw Failure(option->get_name() + " means nothing without --out");
    }
    pack_tokenizer_file(model);
    return;
  }
  require_given(command, {"--out"}, "for a model or a layer");
  if (!model.incbin.empty()) require_unused(command, {"--c-array"}, "with --incbin");
  require_kind(options.out, "--out", header ? OutputKind::header : OutputKind::packed);
  if (!model.folder.empty() || !model.model.empty() || !model.llama2c.empty()) {
    run_pack_model(command, options);
    return;
  }
  require_unused(command, {"--incbin", "--allow-unused", "--activations", "--calibrate", "--requantize"},
                 "for a layer");
  require_given(command, {"--weights"}, "for a layer");
  const bool arena = wants_arena(command, options);
  parse_kv_type(options.arena);
  const std::string& file = options.weights.weights;
  const LayerWeights weights(file, options.weights.names, options.weights.sizes,
                             parse_weight_type(options.weight_type, &is_float_row_type).value_or(DataType::float32));
  weights.require_one_memory();
  const MultiHeadConfig& memory = options.arena.config;
  MultiHeadConfig config = weights.config();
  config.max_keys = arena ? memory.max_keys : 1;
  config.max_sequences = memory.max_sequences;
  config.workers = memory.workers;
  config.scratch_budget = memory.scratch_budget;
  config.key_type = memory.key_type;
  config.value_type = memory.value_type;
  config.ring = memory.ring;
  config.sink_tokens = memory.sink_tokens;
  config.max_pages = memory.max_pages;
  const auto plan = planned_as<MultiHeadPlan>(namer(command), file, config);

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

void add_model_options(CLI::App& command, PackOptions& options) {
  begin_group(command, "A model");
  command
      .add_option(
          "folder", options.model.folder,
          "write a whole model file from a Hugging Face folder, config.json and safetensors, or from a GGUF file")
      ->type_name("FOLDER|FILE.gguf");
  command
      .add_option("--part", options.model.published.part,
                  "with a folder: which of its models, encoder or decoder, or what an encoder gives: rows, pooler, "
                  "sentence")
      ->type_name("NAME");
  command
      .add_option("--model-type", options.model.published.type,
                  "with a folder: model_type, where its config.json does not say it")
      ->type_name("NAME");
  command
      .add_option("--ignore-member", options.model.published.ignored,
                  "with a folder: pack without a member of its configurations that is not known, or that the library "
                  "does not read; may be given several times")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--model", options.model.model,
                  "write a whole model file: its architecture as JSON, and the names of its tensors")
      ->type_name("FILE");
  command.add_option("--llama2c", options.model.llama2c, "write a whole model file from one of llama2.c, version 0")
      ->type_name("FILE");
  command.add_flag("--allow-unused", options.model.published.allow_unused,
                   "with --model, a folder or a GGUF file: let the file have tensors that the model does not read");
  command
      .add_option("--activations", options.activations,
                  "with a model: round the rows of every product to int8 or int16 and multiply in integers, by weights "
                  "of int8 unless --weight-type is int8_multipliers or int4_multipliers; auto chooses for each kind of "
                  "product by the error on the inputs of --calibrate; after it kinds of their own: input, query (with "
                  "key and value), output, mlp (gate and up), down, head; float32 leaves rows as they are")
      ->type_name("TYPE[,KIND=TYPE...]");
  command
      .add_option(
          "--requantize", options.requantize,
          "with a GGUF file: round numbers that are quantized there, and that no type holds as they are, to this "
          "type; the error is printed")
      ->type_name("TYPE");
  command
      .add_option("--calibrate", options.model.calibrate,
                  "frames or tokens to run the model on, as --input of `heed run` takes them: for --activations auto, "
                  "and to round the blocks of a decoder in int4_multipliers by error compensation")
      ->type_name("FILE");
}

}  // namespace

void add_pack(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("pack", "a model, or a layer's weights, in the layout that firmware keeps in flash");
  const auto options = std::make_shared<PackOptions>();
  add_model_options(command, *options);
  add_weight_options(command, options->weights);
  command.get_option("--weights")->required(false);
  begin_group(command, "What is written");
  add_output(command, "--out", OutputKind::any, options->out,
             "the packed weights: their bytes, or a header with --c-array");
  add_weight_type(command, options->weight_type, "store the matrices as");
  add_output(command, "--tokenizer", OutputKind::packed, options->model.tokenizer,
             "with a folder or a GGUF file: write its tokenizer as one file that is read in place; without --out, "
             "nothing else");
  command.add_flag("--no-tokenizer", options->model.no_tokenizer,
                   "with a folder or a GGUF file: leave its tokenizer out of the model's file");
  command
      .add_option("--c-array", options->array,
                  "write a header for C and C++: a constant array of this name, and NAME_config")
      ->type_name("NAME");
  add_output(command, "--extern", OutputKind::source, options->definition,
             "write the array to this C file, and only its declaration to the header, for many files to include");
  command
      .add_option("--incbin", options->model.incbin,
                  "with a model: an assembler file that puts --out into constant data under this name, and a header")
      ->option_text("NAME FILE")
      ->expected(2);
  add_layer_memory_options(
      command, options->arena,
      "with --c-array: tokens in the cache, of each sequence; puts the arena's size into the header");
  add_weight_names(command, options->weights.names);
  add_example(command, "heed pack FOLDER --out model.heed --weight-type int8");
  command.callback([&command, options] { run_pack(command, *options); });
}

}  // namespace heed::tools
