// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "formats/files.hpp"
#include "formats/npy.hpp"
#include "options/help_format.hpp"
#include "options/memory_options.hpp"
#include "options/output_option.hpp"
#include "options/stage_options.hpp"
#include "support/printable.hpp"
#include "support/thread_pool.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/model_inputs.hpp"
#include "tensors/model_outputs.hpp"
#include "tensors/token_rows.hpp"
#include "tokenizers/token_labels.hpp"

namespace heed::tools {

namespace {

struct RunModelOptions {
  std::string model;
  std::string input;
  std::string token_types;
  std::string mask;
  std::string output;
  std::string labels;
  std::string context;
  std::string tokenizer;
  StageOptions stages;
  bool every = false;
  MemoryOptions memory;
};

void set_context(Model& model, const TokenRows& context, const Executor& executor) {
  require_ok(model.set_context(context.matrix(), context.tokens, executor), context.name);
}

std::vector<std::string> read_labels(const std::string& file, const OutputSizes& sizes) {
  std::istringstream lines(read_file(file));
  std::vector<std::string> labels;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    labels.push_back(line);
  }
  if (sizes.many) throw Failure("the model's output are rows, and labels are of one");
  if (labels.size() != sizes.width) {
    throw Failure(file + ": " + std::to_string(labels.size()) + " lines, and the model has " +
                  std::to_string(sizes.width) + " outputs");
  }
  return labels;
}

/// The likeliest five, with their probabilities.
std::string likeliest(const float* logits, const std::vector<std::string>& labels) {
  const auto is_number = [](float logit) { return std::isfinite(logit); };
  if (!std::all_of(logits, logits + labels.size(), is_number)) {
    throw Failure("--labels: the output has numbers that are NaN or infinite, and no label is the likeliest");
  }
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  double sum = 0.0;
  const auto weight = [&](std::size_t i) { return std::exp(double{logits[i]} - double{logits[order[0]]}); };
  for (std::size_t i = 0; i < labels.size(); ++i) sum += weight(i);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%.4f  ", weight(order[i]) / sum);
    text += number + printable(labels[order[i]]) + '\n';
  }
  return text;
}

BlockMemory memory_of(const RunModelOptions& options, const ModelConfig& config, std::uint32_t count) {
  BlockMemory memory = to_memory(options.memory);
  memory.max_keys = static_cast<std::uint32_t>(detail::encoder_rows(config, count));
  if (memory.rows == 0) memory.rows = config.encoder ? memory.max_keys : std::min(memory.max_keys, 32U);
  return memory;
}

ModelInputs read_inputs(const RunModelOptions& options, const ModelConfig& config) {
  ModelInputs inputs = read_model_inputs("--input", options.input, config);
  if (!options.token_types.empty()) read_token_types("--token-types", options.token_types, config, inputs);
  if (!options.mask.empty()) read_token_mask("--mask", options.mask, config, inputs);
  require_counted_tokens("--input", options.input, config, inputs);
  return inputs;
}

/// Of the rows of an entry, for a picture.
std::vector<std::string> row_labels(const RunModelOptions& options, const LoadedModel& file,
                                    const ModelInputs& inputs) {
  const ModelConfig& config = file.config();
  const std::span<const std::uint32_t> tokens = inputs.tokens_of(0);
  if (!options.tokenizer.empty()) {
    return with_option("--tokenizer", [&] { return token_labels(LoadedTokenizer(options.tokenizer), tokens); });
  }
  if (!file.tokenizer().empty()) return token_labels(LoadedTokenizer(file.tokenizer(), file.name()), tokens);
  if (config.input == ModelInput::tokens) return token_labels(tokens);
  std::vector<std::string> labels;
  if (config.class_token) labels.emplace_back("class");
  for (std::uint32_t i = 0; i < config.registers; ++i) labels.push_back("register " + std::to_string(i));
  const std::size_t rows = detail::encoder_rows(config, inputs.count);
  while (labels.size() < rows) labels.push_back(std::to_string(labels.size() - detail::first_of_rest(config)));
  return labels;
}

/// What the options of attention weights do not go with.
void check_attention(const RunModelOptions& options, const ModelConfig& config, const ModelInputs& inputs) {
  const std::string asked = options.stages.attention.asked();
  if (!options.tokenizer.empty() && (options.stages.attention.picture.empty() || config.input != ModelInput::tokens)) {
    throw Failure("--tokenizer means nothing without --attention and a model of tokens");
  }
  if (!asked.empty() && inputs.batch != 1) {
    throw Failure(asked + ": one entry is needed, and --input has " + std::to_string(inputs.batch));
  }
}

void run_model(const RunModelOptions& options) {
  if (options.output.empty() && options.labels.empty() && !options.stages.asked()) {
    throw Failure(
        "nothing is asked for: give --output, --labels, --stages, --stage-values, --attention or "
        "--attention-values");
  }
  LoadedModel file(options.model);
  const ModelConfig& config = file.config();
  const ModelInputs inputs = read_inputs(options, config);
  check_attention(options, config, inputs);
  std::vector<std::string> labels_of_rows;
  if (!options.stages.attention.picture.empty()) labels_of_rows = row_labels(options, file, inputs);
  const OutputSizes sizes = output_sizes(config, inputs.count, options.every);
  std::vector<std::string> labels;
  if (!options.labels.empty()) labels = with_option("--labels", [&] { return read_labels(options.labels, sizes); });
  BlockMemory memory = memory_of(options, config, inputs.count);
  TokenRows context;
  if ((config.block.cross_dim != 0) == options.context.empty()) {
    throw Failure(options.context.empty() ? "--context is needed: the model has cross-attention"
                                          : "--context means nothing without cross-attention");
  }
  if (!options.context.empty()) {
    context = read_token_rows("--context", options.context, config.block.cross_dim, options.model);
    if (context.batch != 1) throw Failure(context.name + ": one context is needed, for every entry");
    memory.max_cross_keys = context.tokens;
  }

  Shape shape;
  if (inputs.batched) shape.push_back(inputs.batch);
  if (sizes.many) shape.push_back(sizes.rows);
  shape.push_back(sizes.width);
  FloatArray output = zeros(shape, "--output");
  const std::size_t size = sizes.count();
  ThreadPool pool(memory.workers);
  StageRecord stages(options.stages);
  BoundModel bound(file, memory);
  const Executor executor = memory.workers > 1 ? pool.executor() : Executor{};
  if (!options.context.empty()) set_context(bound.model(), context, executor);
  stages.observe(file, bound);
  for (std::uint32_t entry = 0; entry < inputs.batch; ++entry) {
    run_entry(bound.model(), "--input", inputs, entry, sizes, output.values.data() + entry * size, executor);
  }
  std::string text;
  for (std::uint32_t entry = 0; entry < inputs.batch && !labels.empty(); ++entry) {
    if (inputs.batched) text += (entry == 0 ? "entry " : "\nentry ") + std::to_string(entry) + '\n';
    text += likeliest(output.values.data() + entry * size, labels);
  }
  OutputFiles files;
  if (!options.output.empty()) files.add(options.output, npy_bytes(output), "--output");
  stages.add_to(files, labels_of_rows);
  files.write();
  std::cout << text;
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("run", "a model on frames or tokens, from a file to a file");
  const auto options = std::make_shared<RunModelOptions>();
  command.add_option("model", options->model, "a model file of `heed pack`")->type_name("FILE")->required();
  command
      .add_option("--input", options->input,
                  "frames [batch, frames, input_dim] of a float type, or tokens [batch, tokens] of int32 or int64; the "
                  "batch may be left out")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--token-types", options->token_types,
                  "types of the tokens, as --input has them: int32 or int64; without them each has type 0")
      ->type_name("FILE");
  command
      .add_option(
          "--mask", options->mask,
          "an encoder of tokens: 1 for each of them and 0 for padding, which is at the end of an entry and left "
          "out of it; with an output for every row those of padding are zeros")
      ->type_name("FILE");
  add_output(command, "--output", OutputKind::array, options->output,
             "float32 [batch, outputs], or [batch, rows, outputs] where the model or --every gives every row");
  command.add_flag("--every", options->every, "a decoder: the logits of every token, not those of the last alone");
  command.add_option("--labels", options->labels, "a line for each output; prints the likeliest five")
      ->type_name("FILE");
  command.add_option("--context", options->context, "what cross-attention looks at: [rows, cross_dim]")
      ->type_name("FILE");
  add_stage_options(command, options->stages);
  command
      .add_option(
          "--tokenizer", options->tokenizer,
          "of --attention, whose rows and columns have the text of their tokens; that in the model's file unless "
          "given")
      ->type_name("FILE");
  add_memory_options(command, options->memory);
  add_example(command, "heed run model.heed --input tokens.npy --output logits.npy");
  command.callback([options] { run_model(*options); });
}

}  // namespace heed::tools
