// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include "bound_layer.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "heed/multi_head.hpp"
#include "heed/multi_head_options.hpp"
#include "npy.hpp"
#include "run_options.hpp"
#include "weight_options.hpp"

namespace heed::tools {

namespace {

struct MhaOptions {
  WeightOptions weights;
  std::string input;
  std::string out;
  std::string memory;
  std::string heads_out;
  RunOptions run;
};

/// Token rows [batch, tokens, dim]; [tokens, dim] is a batch of one.
struct Rows {
  std::string name;  ///< for messages: which input, file and shape
  FloatArray array;
  std::uint32_t batch = 1;
  std::uint32_t tokens = 0;

  [[nodiscard]] ConstMatrix matrix() const { return dense(array.values.data(), tokens, array.shape.back()); }
};

Rows read_rows(const std::string& role, const std::string& file, std::uint32_t dim, const std::string& weights) {
  Rows rows{.name = role + " " + file, .array = read_npy(file)};
  const Shape& shape = rows.array.shape;
  rows.name += " " + describe(shape);
  if (shape.size() != 2 && shape.size() != 3) throw Failure(rows.name + ": [batch, tokens, dim] or [tokens, dim]");
  if (shape.back() != dim) {
    throw Failure(rows.name + ": the weights in " + weights + " take rows of " + std::to_string(dim));
  }
  rows.tokens = to_size(shape[shape.size() - 2], rows.name);
  if (shape.size() == 3) rows.batch = to_size(shape[0], rows.name);
  return rows;
}

void run_mha(const MhaOptions& options) {
  const std::string& file = options.weights.weights;
  const LayerWeights weights(file, options.weights.names, options.weights.sizes);
  MultiHeadConfig config = weights.config();
  const Rows x = read_rows("input", options.input, config.model_dim, file);
  const bool cross = !options.memory.empty();
  const Rows memory = cross ? read_rows("memory", options.memory, config.memory_dim, file) : Rows{};
  if (cross && memory.batch != x.batch) throw Failure(memory.name + " and " + x.name + " differ in batch");
  if (!cross && config.memory_dim != config.model_dim) {
    throw Failure(file + ": the keys read rows of " + std::to_string(config.memory_dim) + ", the queries rows of " +
                  std::to_string(config.model_dim) + ": --memory is needed");
  }
  const std::string where = file + ", " + x.name + (cross ? ", " + memory.name : "");
  const std::uint32_t keys = cross ? memory.tokens : x.tokens;
  config.max_keys = keys;
  config.sequences = x.batch;
  config.workers = options.run.workers;
  MultiHeadPlan plan;
  require_ok(make_plan(config, plan), where);
  config = plan.config;

  RunSettings settings(options.run, {x.batch, config.heads, x.tokens, keys}, {});
  Shape out_shape = x.array.shape;
  out_shape.back() = config.output_dim;
  FloatArray out = zeros(out_shape, where);
  FloatArray heads;
  if (!options.heads_out.empty()) heads = zeros({x.batch, config.heads, x.tokens, config.value_dim}, where);

  MultiHeadInputs inputs{.batch = x.batch, .tokens = x.tokens, .x = x.matrix()};
  settings.apply(inputs);
  MultiHeadOptions chosen;
  settings.apply(chosen.attention);
  MultiHeadOutputs outputs{.y = dense(out.values.data(), x.tokens, config.output_dim)};
  if (!heads.values.empty()) {
    outputs.heads = heads_first(heads.values.data(), config.heads, x.tokens, config.value_dim);
  }
  settings.request(outputs);

  BoundLayer bound(plan, weights.views(plan), where);
  if (cross) {
    require_ok(bound.layer.append(x.batch, nullptr, keys, memory.matrix(), settings.executor()), where);
    require_ok(bound.layer.attend(inputs, chosen, outputs, settings.executor()), where);
  } else {
    require_ok(bound.layer.encode(inputs, chosen, outputs, settings.executor()), where);
  }
  OutputFiles files;
  files.add(options.out, npy_bytes(out));
  if (!options.heads_out.empty()) files.add(options.heads_out, npy_bytes(heads));
  settings.collect(files);
  files.write();
}

}  // namespace

void add_mha(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("mha", "a multi-head attention layer with weights from a file or folder");
  const auto options = std::make_shared<MhaOptions>();
  const auto file = [&](const char* name, std::string& place, const char* text) {
    return command.add_option(name, place, text)->type_name("FILE");
  };
  add_weight_options(command, options->weights);
  file("--input", options->input, "x [batch, tokens, model_dim] or [tokens, model_dim]")->required();
  file("--out", options->out, "y, with as many dimensions as x")->required();
  file("--memory", options->memory, "what keys and values come from (cross-attention); x unless given");
  file("--heads-out", options->heads_out, "write the heads before W_O [batch, heads, tokens, value_dim]");
  add_run_options(command, options->run);
  add_weight_names(command, options->weights.names);
  command.callback([options] { run_mha(*options); });
}

}  // namespace heed::tools
