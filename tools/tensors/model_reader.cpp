// SPDX-License-Identifier: MIT
#include "tensors/model_reader.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/files.hpp"
#include "support/failure.hpp"
#include "tensors/family_match.hpp"
#include "tensors/model_names.hpp"
#include "tensors/stored_tensor.hpp"
#include "tensors/weight_checks.hpp"

namespace heed::tools {

namespace {

constexpr std::uint32_t no_block = 0;

struct AttentionSizes {
  std::size_t query;     ///< heads * head_dim
  std::size_t key;       ///< kv_heads * head_dim
  std::size_t dim;       ///< model_dim
  std::size_t kv_input;  ///< width of what keys and values are projected from
};

class Reader {
 public:
  Reader(const WeightFile& file, const ModelNames& names, ModelTensors& model)
      : file_(file), names_(names), model_(model) {}

  void read(const ModelPlan& plan);
  void require_all_used(bool allow_unused, const std::string& json);

 private:
  const float* take(const std::string& role, std::uint32_t block, const Shape& shape);
  const float* take_optional(const std::string& role, std::uint32_t block, const Shape& shape);
  [[nodiscard]] bool has(const std::string& role, std::uint32_t block) const;
  NormWeights take_norm(const std::string& role, std::uint32_t block, std::size_t dim = 0);
  void scale_queries(std::uint32_t block, std::size_t rows, std::span<float> values) const;
  void take_positions();
  void take_head();
  void take_attention(const std::string& prefix, std::uint32_t block, const AttentionSizes& sizes,
                      MultiHeadWeights& weights);
  void take_block(const ModelPlan& plan, std::uint32_t block, BlockWeights& weights);

  const WeightFile& file_;
  const ModelNames& names_;
  ModelTensors& model_;
  std::set<std::string> used_;
};

const float* Reader::take(const std::string& role, std::uint32_t block, const Shape& shape) {
  const ModelNames::Name* const name = names_.find(role);
  if (name == nullptr) throw Failure(file_.name() + ": no name is known for the tensor `" + role + "` of the model");
  const std::string tensor = with_block(name->pattern, block);
  FloatArray array = file_.read(tensor);
  Shape needed = shape;
  if (name->transposed) std::reverse(needed.begin(), needed.end());
  if (!matches(role, array.shape, needed)) {
    throw Failure(
        file_.name() + ": tensor " + tensor + " " + describe(array.shape) + ": " + describe(needed) +
        " is needed for `" + role + "`" +
        (name->skipped_rows == 0 ? "" : ", of which positions begin at row " + std::to_string(name->skipped_rows)));
  }
  apply_fold(name->fold, array.values);
  require_storable(array, type_of(role, shape, model_.config), file_.name() + ": tensor " + tensor);
  used_.insert(tensor);
  if (name->transposed && shape.size() == 2) array.values = transposed(array.values, needed[0], needed[1]);
  if (name->order == RowOrder::by_head) array.values = sorted_by_kind(array.values, model_.config.block.heads);
  if (begins_with_queries(role)) scale_queries(block, shape[0], array.values);
  return model_.keep(std::move(array.values));
}

/// Whether the file has a tensor. A name that was given must be there; one of a family is in every block or in none.
bool Reader::has(const std::string& role, std::uint32_t block) const {
  const ModelNames::Name* const name = names_.find(role);
  if (name == nullptr) return false;
  if (name->required) return true;
  const bool first = file_.has(with_block(name->pattern, 0));
  const std::string tensor = with_block(name->pattern, block);
  if (file_.has(tensor) != first) {
    throw Failure(file_.name() + ": tensor " + tensor + " is " + (first ? "missing" : "there") +
                  ", other than that of block 0");
  }
  return first;
}

/// Of a tensor of so many rows, those of queries come first.
void Reader::scale_queries(std::uint32_t block, std::size_t rows, std::span<float> values) const {
  const BlockConfig& config = model_.config.block;
  const QueryScale& query = names_.query_scale();
  const double scale = query.by_block ? query.scale / (block + 1.0) : query.scale;
  apply_fold({.scale = scale}, values.first(values.size() / rows * config.heads * config.head_dim));
}

const float* Reader::take_optional(const std::string& role, std::uint32_t block, const Shape& shape) {
  return has(role, block) ? take(role, block, shape) : nullptr;
}

/// Of model_dim, unless `dim` says otherwise.
NormWeights Reader::take_norm(const std::string& role, std::uint32_t block, std::size_t dim) {
  const Shape shape{dim == 0 ? model_.config.block.model_dim : dim};
  NormWeights norm{take(role, block, shape), nullptr};
  if (model_.config.block.norm == Norm::layer_norm) norm.bias = take_optional(role + "_bias", block, shape);
  return norm;
}

/// Without types of tokens only the first is ever used, so that its row can be added to every position.
void Reader::take_positions() {
  const ModelConfig& config = model_.config;
  if (config.positions != Positions::learned) return;
  const std::size_t dim = config.block.model_dim;
  const ModelNames::Name* const name = names_.find("positions");
  const std::size_t skipped = name == nullptr ? 0 : name->skipped_rows;
  model_.ends.positions = take("positions", no_block, {config.max_positions + skipped, dim}) + skipped * dim;
  if (config.token_types != 0 || !has("token_types", no_block)) return;
  std::vector<float>& table = model_.kept.back();
  const std::string tensor = with_block(names_.find("token_types")->pattern, no_block);
  const FloatArray types = file_.read(tensor);
  if (types.shape.size() != 2 || types.shape[0] == 0 || types.shape[1] != dim) {
    throw Failure(file_.name() + ": tensor " + tensor + " " + describe(types.shape) + ": rows of " +
                  std::to_string(dim) + " are needed for `token_types`");
  }
  require_storable(types, DataType::float32, file_.name() + ": tensor " + tensor);
  used_.insert(tensor);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] += types.values[i % dim];
}

void Reader::take_head() {
  const ModelConfig& config = model_.config;
  const std::size_t dim = config.block.model_dim;
  if (config.outputs == 0) return;
  if (!config.tied_head) {
    model_.ends.head = take("head", no_block, {config.outputs, dim});
    model_.ends.head_bias = take_optional("head_bias", no_block, {config.outputs});
  } else if (has("head", no_block) && has("input", no_block)) {
    const float* const head = take("head", no_block, {config.outputs, dim});
    if (!std::equal(head, head + config.outputs * dim, model_.ends.input)) {
      throw Failure(file_.name() + ": tensor " + with_block(names_.find("head")->pattern, no_block) +
                    " is not the embedding table, as tied_head says");
    }
  }
}

void Reader::take_attention(const std::string& prefix, std::uint32_t block, const AttentionSizes& sizes,
                            MultiHeadWeights& weights) {
  const std::size_t all = sizes.query + 2 * sizes.key;
  const bool one_input = sizes.kv_input == sizes.dim;
  if (one_input && has(prefix + "qkv", block)) {
    weights.query = take(prefix + "qkv", block, {all, sizes.dim});
    weights.key = weights.query + sizes.query * sizes.dim;
    weights.value = weights.key + sizes.key * sizes.dim;
  } else {
    weights.query = take(prefix + "query", block, {sizes.query, sizes.dim});
    weights.key = take(prefix + "key", block, {sizes.key, sizes.kv_input});
    weights.value = take(prefix + "value", block, {sizes.key, sizes.kv_input});
  }
  if (has(prefix + "qkv_bias", block)) {
    weights.query_bias = take(prefix + "qkv_bias", block, {all});
    weights.key_bias = weights.query_bias + sizes.query;
    weights.value_bias = weights.key_bias + sizes.key;
  } else {
    weights.query_bias = take_optional(prefix + "query_bias", block, {sizes.query});
    weights.key_bias = take_optional(prefix + "key_bias", block, {sizes.key});
    weights.value_bias = take_optional(prefix + "value_bias", block, {sizes.key});
  }
  weights.output = take(prefix + "output", block, {sizes.dim, sizes.query});
  weights.output_bias = take_optional(prefix + "output_bias", block, {sizes.dim});
}

void Reader::take_block(const ModelPlan& plan, std::uint32_t block, BlockWeights& weights) {
  const BlockConfig& config = plan.config.block;
  AttentionSizes sizes{std::size_t{config.heads} * config.head_dim, std::size_t{config.kv_heads} * config.head_dim,
                       config.model_dim, config.model_dim};
  weights.attention_norm = take_norm("attention_norm", block);
  take_attention("", block, sizes, weights.attention);
  if (config.cross_dim != 0) {
    sizes.kv_input = config.cross_dim;
    weights.cross_norm = take_norm("cross_norm", block);
    take_attention("cross_", block, sizes, weights.cross);
  }
  if (config.qk_norm != QkNorm::none) {
    weights.query_norm = take_norm("query_norm", block, config.head_dim);
    weights.key_norm = take_norm("key_norm", block, config.head_dim);
  }
  weights.mlp_norm = take_norm("mlp_norm", block);
  if (config.norm_placement == NormPlacement::both) {
    weights.attention_output_norm = take_norm("attention_output_norm", block);
    weights.mlp_output_norm = take_norm("mlp_output_norm", block);
  }
  if (config.gated && has("gate_up", block)) {
    weights.gate = take("gate_up", block, {std::size_t{config.mlp_dim} * 2, config.model_dim});
    weights.up = weights.gate + std::size_t{config.mlp_dim} * config.model_dim;
  } else if (config.gated) {
    weights.gate = take("gate", block, {config.mlp_dim, config.model_dim});
    weights.gate_bias = take_optional("gate_bias", block, {config.mlp_dim});
  }
  if (weights.up == nullptr) weights.up = take("up", block, {config.mlp_dim, config.model_dim});
  weights.up_bias = take_optional("up_bias", block, {config.mlp_dim});
  weights.down = take("down", block, {config.model_dim, config.mlp_dim});
  weights.down_bias = take_optional("down_bias", block, {config.model_dim});
}

void Reader::read(const ModelPlan& plan) {
  const ModelConfig& config = plan.config;
  model_.config = config;
  const std::size_t dim = config.block.model_dim;
  const bool tokens = config.input == ModelInput::tokens;
  const Shape shape = tokens ? Shape{config.input_dim, dim} : Shape{dim, config.input_dim};
  // Of a table that is also the head a file may have either.
  const bool under_head = config.tied_head && !has("input", no_block) && has("head", no_block);
  model_.ends.input = take(under_head ? "head" : "input", no_block, shape);
  if (!tokens) model_.ends.input_bias = take_optional("input_bias", no_block, {dim});
  if (config.class_token) model_.ends.class_token = take("class_token", no_block, {dim});
  take_positions();
  if (config.registers != 0) {
    model_.ends.registers = take("register_tokens", no_block, {config.registers, dim});
  }
  if (config.token_types != 0) {
    model_.ends.token_types = take("token_types", no_block, {config.token_types, dim});
  }
  if (config.relative_buckets != 0) {
    model_.ends.relative_bias = take("relative_bias", no_block, {plan.config.block.heads, config.relative_buckets});
  }
  if (config.embedding_norm) model_.ends.embedding_norm = take_norm("embedding_norm", no_block);
  for (std::uint32_t block = 0; block < config.blocks; ++block) {
    take_block(plan, block, model_.blocks.emplace_back());
  }
  if (!config.without_final_norm) model_.ends.final_norm = take_norm("final_norm", no_block);
  if (config.pooler != Pooler::none) {
    model_.ends.pooler = take("pooler", no_block, {dim, dim});
    model_.ends.pooler_bias = take_optional("pooler_bias", no_block, {dim});
  }
  take_head();
}

void Reader::require_all_used(bool allow_unused, const std::string& json) {
  constexpr std::size_t shown = 6;
  for (const std::string& buffer : names_.buffers()) {
    for (std::uint32_t block = 0; block < model_.config.blocks; ++block) {
      const std::string tensor = with_block(buffer, block);
      if (file_.has(tensor) && used_.insert(tensor).second) model_.skipped.push_back(tensor);
    }
  }
  std::vector<std::string> unused;
  for (const std::string& tensor : file_.names()) {
    if (!used_.contains(tensor)) unused.push_back(tensor);
  }
  if (unused.empty() || allow_unused) {
    model_.skipped.insert(model_.skipped.end(), unused.begin(), unused.end());
    return;
  }
  std::string text = file_.name() + ": the model of " + json + " does not use";
  for (std::size_t i = 0; i < unused.size() && i < shown; ++i) text += (i == 0 ? " " : ", ") + unused[i];
  if (unused.size() > shown) text += " and " + std::to_string(unused.size() - shown) + " more";
  throw Failure(text + " (--allow-unused leaves them out)");
}

}  // namespace

ModelTensors read_model_tensors(const ModelDescription& model, const WeightFile& weights, bool allow_unused) {
  ModelTensors tensors;
  Reader reader(weights, model.names, tensors);
  reader.read(model.plan);
  reader.require_all_used(allow_unused, model.architecture);
  tensors.notes = model.notes;
  return tensors;
}

ModelTensors read_model_tensors(const std::filesystem::path& architecture, const std::filesystem::path& weights,
                                bool allow_unused, const StoredTypes& types) {
  const std::string text = with_option("--model", [&] { return read_file(architecture); });
  Architecture parsed = parse_architecture(text, architecture.string());
  const WeightFile file(weights, "--weights");
  return read_model_tensors(describe_model(std::move(parsed), file, types), file, allow_unused);
}

}  // namespace heed::tools
