// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include "bound_layer.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "heed/multi_head.hpp"
#include "layer_weights.hpp"
#include "npy.hpp"
#include "run_options.hpp"

namespace heed::tools {

namespace {

struct MhaOptions {
  std::string weights;
  std::string input;
  std::string out;
  std::string memory;
  std::string heads_out;
  HeadSizes sizes;
  WeightNames names;
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
  const LayerWeights weights(options.weights, options.names, options.sizes);
  MultiHeadConfig config = weights.config();
  const Rows x = read_rows("input", options.input, config.model_dim, options.weights);
  const bool cross = !options.memory.empty();
  const Rows memory = cross ? read_rows("memory", options.memory, config.memory_dim, options.weights) : Rows{};
  if (cross && memory.batch != x.batch) throw Failure(memory.name + " and " + x.name + " differ in batch");
  if (!cross && config.memory_dim != config.model_dim) {
    throw Failure(options.weights + ": the keys read rows of " + std::to_string(config.memory_dim) +
                  ", the queries rows of " + std::to_string(config.model_dim) + ": --memory is needed");
  }
  const std::string where = options.weights + ", " + x.name + (cross ? ", " + memory.name : "");
  const std::uint32_t keys = cross ? memory.tokens : x.tokens;
  config.max_keys = keys;
  config.sequences = x.batch;
  config.workers = options.run.workers;
  MultiHeadPlan plan;
  require_ok(make_plan(config, plan), where);
  config = plan.config;

  RunSettings settings(options.run, x.batch, config.heads, x.tokens, keys);
  Shape out_shape = x.array.shape;
  out_shape.back() = config.output_dim;
  FloatArray out = zeros(out_shape, where);
  FloatArray heads;
  if (!options.heads_out.empty()) heads = zeros({x.batch, config.heads, x.tokens, config.value_dim}, where);

  MultiHeadInputs inputs{.batch = x.batch, .tokens = x.tokens, .x = x.matrix()};
  settings.apply(inputs);
  MultiHeadOutputs outputs{.y = dense(out.values.data(), x.tokens, config.output_dim)};
  if (!heads.values.empty()) {
    outputs.heads = heads_first(heads.values.data(), config.heads, x.tokens, config.value_dim);
  }
  settings.request(outputs);

  BoundLayer bound(plan, weights.views(plan), where);
  if (cross) {
    require_ok(bound.layer.append(x.batch, nullptr, keys, memory.matrix(), settings.executor()), where);
    require_ok(bound.layer.attend(inputs, outputs, settings.executor()), where);
  } else {
    require_ok(bound.layer.encode(inputs, outputs, settings.executor()), where);
  }
  OutputFiles files;
  files.add(options.out, npy_bytes(out));
  if (!options.heads_out.empty()) files.add(options.heads_out, npy_bytes(heads));
  settings.collect(files);
  files.write();
}

void add_weight_names(CLI::App& command, WeightNames& names) {
  const auto name = [&](const char* option, std::string& place, const char* text) {
    command.add_option(option, place, text)->type_name("NAME");
  };
  name("--prefix", names.prefix, "put before every tensor name");
  name("--in-proj-weight", names.in_proj_weight, "packed [W_Q; W_K; W_V]; in_proj_weight if the file has it");
  name("--in-proj-bias", names.in_proj_bias, "its bias; in_proj_bias if the file has it");
  name("--q-weight", names.query_weight, "W_Q [heads * head_dim, model_dim]; else q_proj_weight");
  name("--k-weight", names.key_weight, "W_K [kv_heads * head_dim, memory_dim]; else k_proj_weight");
  name("--v-weight", names.value_weight, "W_V [kv_heads * value_dim, memory_dim]; else v_proj_weight");
  name("--q-bias", names.query_bias, "bias of the queries; none unless named");
  name("--k-bias", names.key_bias, "bias of the keys; none unless named");
  name("--v-bias", names.value_bias, "bias of the values; none unless named");
  command.add_option("--out-weight", names.out_weight, "W_O [output_dim, heads * value_dim]")
      ->type_name("NAME")
      ->capture_default_str();
  name("--out-bias", names.out_bias, "its bias; out_proj.bias if the file has it");
}

}  // namespace

void add_mha(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("mha", "a multi-head attention layer with weights from a safetensors file");
  const auto options = std::make_shared<MhaOptions>();
  const auto file = [&](const char* name, std::string& place, const char* text) {
    return command.add_option(name, place, text)->type_name("FILE");
  };
  const auto count = [&](const char* name, std::uint32_t& place, const char* text) {
    return command.add_option(name, place, text)->type_name("COUNT");
  };
  file("--weights", options->weights, "safetensors file; F32, F64, F16 or BF16, matrices [out, in]")->required();
  file("--input", options->input, "x [batch, tokens, model_dim] or [tokens, model_dim]")->required();
  file("--out", options->out, "y, with as many dimensions as x")->required();
  file("--memory", options->memory, "what keys and values come from (cross-attention); x unless given");
  file("--heads-out", options->heads_out, "write the heads before W_O [batch, heads, tokens, value_dim]");
  count("--heads", options->sizes.heads, "query heads")->required();
  count("--kv-heads", options->sizes.kv_heads, "key and value heads; --heads unless given");
  count("--head-dim", options->sizes.head_dim, "length of a query; from the weights' shapes unless given");
  count("--value-dim", options->sizes.value_dim, "length of a value; from the weights' shapes unless given");
  add_run_options(command, options->run);
  add_weight_names(command, options->names);
  command.callback([options] { run_mha(*options); });
}

}  // namespace heed::tools
