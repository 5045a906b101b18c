// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <utility>

#include "aligned_bytes.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "heed/attention.hpp"
#include "npy.hpp"
#include "run_options.hpp"

namespace heed::tools {

namespace {

struct AttendOptions {
  std::string query;
  std::string key;
  std::string value;
  std::string out;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  RunOptions run;
};

/// Strides of [batch, heads, rows, dim] data, or of [batch, rows, heads * dim] data if the heads lie inside the rows.
template <class Element>
Tensor<Element> view(Element* data, bool heads_inside, std::uint32_t heads, std::uint32_t rows, std::uint32_t dim) {
  return heads_inside ? rows_first(data, heads, rows, dim) : heads_first(data, heads, rows, dim);
}

/// One of the three inputs, read in place through strides.
struct Operand {
  std::string name;  ///< for messages: which input, file and shape
  FloatArray array;
  bool heads_inside = false;
  std::uint32_t batch = 0;
  std::uint32_t heads = 0;
  std::uint32_t rows = 0;
  std::uint32_t dim = 0;

  [[nodiscard]] ConstTensor tensor() const { return view(array.values.data(), heads_inside, heads, rows, dim); }
};

Operand read_operand(const std::string& role, const std::string& file) {
  Operand operand{.name = role + " " + file, .array = read_npy(file)};
  const Shape& shape = operand.array.shape;
  operand.name += " " + describe(shape);
  if (shape.size() != 3 && shape.size() != 4) {
    throw Failure(operand.name + ": 4 dimensions are needed, or 3 with --heads");
  }
  operand.heads_inside = shape.size() == 3;
  operand.batch = to_size(shape[0], operand.name);
  operand.rows = to_size(shape[shape.size() - 2], operand.name);
  return operand;
}

/// Fills in heads and dim. `heads` comes from the command line; 0 if it was not given.
void split_heads(Operand& operand, std::uint32_t heads, const std::string& option) {
  const Shape& shape = operand.array.shape;
  operand.heads = operand.heads_inside ? heads : to_size(shape[1], operand.name);
  const std::size_t width = shape.back();
  if (operand.heads_inside && heads == 0) throw Failure(operand.name + ": 3 dimensions need " + option);
  if (!operand.heads_inside && heads != 0 && heads != operand.heads) {
    throw Failure(operand.name + ": " + option + " " + std::to_string(heads) + " does not match the shape");
  }
  if (operand.heads_inside && width % heads != 0) {
    throw Failure(operand.name + ": the last dimension is not a multiple of " + option + " " + std::to_string(heads));
  }
  operand.dim = to_size(operand.heads_inside ? width / heads : width, operand.name);
}

void require_equal(const Operand& first, const Operand& second, std::size_t left, std::size_t right,
                   const std::string& what) {
  if (left == right) return;
  throw Failure(first.name + " and " + second.name + " differ in " + what + ": " + std::to_string(left) + " and " +
                std::to_string(right));
}

void read_operands(const AttendOptions& options, Operand& query, Operand& key, Operand& value) {
  query = read_operand("query", options.query);
  key = read_operand("key", options.key);
  value = read_operand("value", options.value);
  require_equal(query, key, query.array.shape.size(), key.array.shape.size(), "the number of dimensions");
  require_equal(query, value, query.array.shape.size(), value.array.shape.size(), "the number of dimensions");
  const bool as_query = query.heads_inside && options.kv_heads == 0;
  const std::uint32_t kv_heads = as_query ? options.heads : options.kv_heads;
  const std::string kv_option = as_query ? "--heads" : "--kv-heads";
  split_heads(query, options.heads, "--heads");
  split_heads(key, kv_heads, kv_option);
  split_heads(value, kv_heads, kv_option);
  require_equal(query, key, query.batch, key.batch, "batch");
  require_equal(query, value, query.batch, value.batch, "batch");
  require_equal(query, key, query.dim, key.dim, "head_dim");
  require_equal(key, value, key.heads, value.heads, "heads");
  require_equal(key, value, key.rows, value.rows, "keys");
}

void run_attend(const AttendOptions& options) {
  Operand query;
  Operand key;
  Operand value;
  read_operands(options, query, key, value);
  const std::string where = query.name + ", " + key.name + ", " + value.name;
  AttentionPlan plan;
  const AttentionConfig config{.heads = query.heads,
                               .kv_heads = key.heads,
                               .head_dim = query.dim,
                               .value_dim = value.dim,
                               .max_keys = key.rows,
                               .workers = options.run.workers};
  require_ok(make_plan(config, plan), where);

  RunSettings settings(options.run, query.batch, query.heads, query.rows, key.rows);
  AttentionInputs inputs{.batch = query.batch,
                         .queries = query.rows,
                         .keys = key.rows,
                         .query = query.tensor(),
                         .key = key.tensor(),
                         .value = value.tensor()};
  settings.apply(inputs);

  Shape out_shape = query.array.shape;
  out_shape.back() = std::size_t{query.heads_inside ? query.heads : 1} * value.dim;
  FloatArray out = zeros(std::move(out_shape), where);
  AttentionOutputs outputs;
  outputs.output = view(out.values.data(), query.heads_inside, query.heads, query.rows, value.dim);
  settings.request(outputs);

  AlignedBytes arena(plan.bytes);
  require_ok(attend(plan, arena.span(), inputs, outputs, settings.executor()), where);
  OutputFiles files;
  files.add(options.out, npy_bytes(out));
  settings.collect(files);
  files.write();
}

}  // namespace

void add_attend(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("attend", "scaled dot-product attention of .npy files");
  const auto options = std::make_shared<AttendOptions>();
  const auto file = [&](const char* name, std::string& place, const char* text) {
    command.add_option(name, place, text)->type_name("FILE")->required();
  };
  file("--query", options->query, "[batch, heads, queries, head_dim], or [batch, queries, heads * head_dim]");
  file("--key", options->key, "[batch, kv_heads, keys, head_dim], or [batch, keys, kv_heads * head_dim]");
  file("--value", options->value, "[batch, kv_heads, keys, value_dim], or [batch, keys, kv_heads * value_dim]");
  file("--out", options->out, "output, with as many dimensions as the inputs have");
  command.add_option("--heads", options->heads, "query heads of inputs with 3 dimensions")->type_name("COUNT");
  command.add_option("--kv-heads", options->kv_heads, "key and value heads; --heads unless given")->type_name("COUNT");
  add_run_options(command, options->run);
  command.callback([options] { run_attend(*options); });
}

}  // namespace heed::tools
