// SPDX-License-Identifier: MIT
#include "tensors/layer_weights.hpp"

#include <memory>
#include <utility>

#include "formats/config_members.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "tensors/weight_checks.hpp"

namespace heed::tools {

namespace {

const std::string& chosen_or(const std::string& chosen, const std::string& usual) {
  return chosen.empty() ? usual : chosen;
}

/// What each head has of the `total` rows or columns of a matrix, unless the command line says it.
std::uint32_t per_head(std::uint32_t given, std::size_t total, std::uint32_t heads, const std::string& what) {
  if (given != 0) return given;
  if (total % heads != 0) {
    throw Failure(what + ": --heads " + std::to_string(heads) + " does not divide " + std::to_string(total));
  }
  return to_size(total / heads, what);
}

/// The number of key heads of which `rows` hold `each`; that of the queries if there is none, which then has rows of
/// another number.
std::uint32_t key_heads(const HeadSizes& sizes, std::size_t rows, std::size_t each) {
  if (sizes.kv_heads != 0) return sizes.kv_heads;
  const std::size_t found = rows / each;
  const bool fits = found != 0 && rows % each == 0 && sizes.heads % found == 0;
  return fits ? static_cast<std::uint32_t>(found) : sizes.heads;
}

std::string rows_from(std::size_t first, std::size_t count, const char* of) {
  return std::to_string(first) + ".." + std::to_string(first + count - 1) + ' ' + of;
}

const float* data_or_null(const FloatArray& array) {
  return array.values.empty() ? nullptr : array.values.data();
}

}  // namespace

LayerWeights::LayerWeights(const std::filesystem::path& file, const WeightNames& names, const HeadSizes& sizes,
                           std::optional<DataType> weight_type)
    : prefix_(names.prefix) {
  const std::string option = "--weights";
  const std::shared_ptr<const MappedFile> content = WeightFile::read_unless_folder(file, option);
  if (content && begins_as_packed_layer(content->bytes()) && !weight_type) {
    const std::string name = option + ' ' + file.string();
    if (names != WeightNames{})
      throw Failure(name + ": packed weights have no names of tensors, and options give some");
    dequantize(PackedLayer(name, content->bytes()), name, sizes);
    return;
  }
  file_.emplace(file, option, content);
  if (sizes.heads == 0) throw Failure("--heads is required");
  config_.heads = sizes.heads;
  config_.weight_type = weight_type.value_or(DataType::float32);
  output_ = read_matrix(names.out_weight);
  config_.output_dim = to_size(output_.array.shape[0], output_.name);

  const bool separate_names = !names.query_weight.empty() || !names.key_weight.empty() || !names.value_weight.empty();
  const std::string packed = chosen_or(names.in_proj_weight, "in_proj_weight");
  if (separate_names && !names.in_proj_weight.empty()) {
    throw Failure("--in-proj-weight excludes --q-weight, --k-weight and --v-weight");
  }
  if (!separate_names && (!names.in_proj_weight.empty() || file_->has(prefix_ + packed))) {
    read_packed(sizes, packed);
  } else {
    read_separate(sizes, names);
  }
  read_biases(names);
  require_shapes();
}

LayerWeights::Named LayerWeights::read_matrix(const std::string& tensor) const {
  Named matrix{file_->name() + ": tensor " + prefix_ + tensor, file_->read(prefix_ + tensor)};
  matrix.name += " " + describe(matrix.array.shape);
  if (matrix.array.shape.size() != 2) throw Failure(matrix.name + ": a weight has 2 dimensions");
  if (matrix.array.values.empty()) throw Failure(matrix.name + ": a weight may not be empty");
  require_storable(matrix.array, config_.weight_type, matrix.name);
  require_kept(matrix.array.values, matrix.array.shape[1], config_.weight_type, matrix.name);
  return matrix;
}

/// A tensor chosen by name must exist; the usual one may be absent.
LayerWeights::Named LayerWeights::read_bias(const std::string& chosen, const std::string& usual) const {
  const std::string tensor = prefix_ + chosen_or(chosen, usual);
  if (chosen.empty() && (usual.empty() || !file_->has(tensor))) return {};
  Named bias{file_->name() + ": tensor " + tensor, file_->read(tensor)};
  bias.name += " " + describe(bias.array.shape);
  require_storable(bias.array, DataType::float32, bias.name);
  return bias;
}

void LayerWeights::read_packed(const HeadSizes& sizes, const std::string& tensor) {
  packed_ = read_matrix(tensor);
  require_plain_order(tensor, packed_.name);
  const std::size_t rows = packed_.array.shape[0];
  config_.model_dim = to_size(packed_.array.shape[1], packed_.name);
  config_.kv_input_dim = config_.model_dim;
  value_input_dim_ = config_.model_dim;
  config_.value_dim = per_head(sizes.value_dim, output_.array.shape[1], config_.heads, output_.name);
  head_dim_follows_ = sizes.head_dim == 0;
  config_.head_dim = head_dim_follows_ ? config_.value_dim : sizes.head_dim;
  const std::size_t query_rows = std::size_t{config_.heads} * config_.head_dim;
  const std::size_t others = rows > query_rows ? rows - query_rows : 0;
  config_.kv_heads = key_heads(sizes, others, std::size_t{config_.head_dim} + config_.value_dim);
}

void LayerWeights::read_separate(const HeadSizes& sizes, const WeightNames& names) {
  const std::string query = chosen_or(names.query_weight, "q_proj_weight");
  if (names.query_weight.empty() && !file_->has(prefix_ + query)) {
    throw Failure(file_->name() + ": there is neither a tensor " + prefix_ + "in_proj_weight nor " + prefix_ + query);
  }
  query_ = read_matrix(query);
  key_ = read_matrix(chosen_or(names.key_weight, "k_proj_weight"));
  value_ = read_matrix(chosen_or(names.value_weight, "v_proj_weight"));
  config_.model_dim = to_size(query_.array.shape[1], query_.name);
  config_.kv_input_dim = to_size(key_.array.shape[1], key_.name);
  value_input_dim_ = to_size(value_.array.shape[1], value_.name);
  config_.head_dim = per_head(sizes.head_dim, query_.array.shape[0], config_.heads, query_.name);
  config_.value_dim = per_head(sizes.value_dim, output_.array.shape[1], config_.heads, output_.name);
  config_.kv_heads = key_heads(sizes, key_.array.shape[0], config_.head_dim);
}

void LayerWeights::read_biases(const WeightNames& names) {
  output_bias_ = read_bias(names.out_bias, "out_proj.bias");
  if (names.query_bias.empty() && names.key_bias.empty() && names.value_bias.empty()) {
    packed_bias_ = read_bias(names.in_proj_bias, "in_proj_bias");
    return;
  }
  if (!names.in_proj_bias.empty()) throw Failure("--in-proj-bias excludes --q-bias, --k-bias and --v-bias");
  query_bias_ = read_bias(names.query_bias, "");
  key_bias_ = read_bias(names.key_bias, "");
  value_bias_ = read_bias(names.value_bias, "");
}

void LayerWeights::require_shapes() const {
  const std::size_t query_rows = std::size_t{config_.heads} * config_.head_dim;
  const std::size_t key_rows = std::size_t{config_.kv_heads} * config_.head_dim;
  const std::size_t value_rows = std::size_t{config_.kv_heads} * config_.value_dim;
  const std::size_t context = std::size_t{config_.heads} * config_.value_dim;
  const auto require = [&](const Named& tensor, const Shape& needed) {
    if (tensor.name.empty() || tensor.array.shape == needed) return;
    throw Failure(tensor.name + ": " + describe(needed) + " is needed for " + std::to_string(config_.heads) +
                  " heads, " + std::to_string(config_.kv_heads) + " kv_heads, head_dim " +
                  std::to_string(config_.head_dim) + ", value_dim " + std::to_string(config_.value_dim) +
                  ", model_dim " + std::to_string(config_.model_dim) + ", kv_input_dim " +
                  std::to_string(config_.kv_input_dim) + " for keys and " + std::to_string(value_input_dim_) +
                  " for values" + (head_dim_follows_ ? "; head_dim is value_dim unless --head-dim is given" : ""));
  };
  require(packed_, {query_rows + key_rows + value_rows, config_.model_dim});
  require(query_, {query_rows, config_.model_dim});
  require(key_, {key_rows, config_.kv_input_dim});
  require(value_, {value_rows, value_input_dim_});
  require(output_, {config_.output_dim, context});
  require(packed_bias_, {query_rows + key_rows + value_rows});
  require(query_bias_, {query_rows});
  require(key_bias_, {key_rows});
  require(value_bias_, {value_rows});
  require(output_bias_, {config_.output_dim});
}

void LayerWeights::dequantize(const PackedLayer& layer, const std::string& name, const HeadSizes& sizes) {
  const MultiHeadPlan& plan = layer.plan();
  config_ = plan.config;
  const auto require = [&](const char* option, std::uint32_t given, std::uint32_t packed) {
    if (given == 0 || given == packed) return;
    throw Failure(std::string(option) + ' ' + std::to_string(given) + ": " + name + " has " + std::to_string(packed));
  };
  require("--heads", sizes.heads, config_.heads);
  require("--kv-heads", sizes.kv_heads, config_.kv_heads);
  require("--head-dim", sizes.head_dim, config_.head_dim);
  require("--value-dim", sizes.value_dim, config_.value_dim);
  value_input_dim_ = config_.kv_input_dim;
  query_.array.values = layer.matrix(plan.query);
  key_.array.values = layer.matrix(plan.key);
  value_.array.values = layer.matrix(plan.value);
  output_.array.values = layer.matrix(plan.output);
  query_bias_.array.values = layer.bias(plan.query);
  key_bias_.array.values = layer.bias(plan.key);
  value_bias_.array.values = layer.bias(plan.value);
  output_bias_.array.values = layer.bias(plan.output);
}

std::string LayerWeights::sizes() const {
  std::string text = "layer:";
  for_each_layer_size(config_, [&](const char* member, std::uint32_t value) {
    text += std::string(text.back() == ':' ? " " : ", ") + member + ' ' + std::to_string(value);
  });
  text += ", weight_type " + to_word(config_.weight_type);
  if (value_input_dim_ != config_.kv_input_dim) text += ", " + std::to_string(value_input_dim_) + " for values";
  if (packed_.name.empty()) return text + '\n';
  const std::size_t query_rows = std::size_t{config_.heads} * config_.head_dim;
  const std::size_t key_rows = std::size_t{config_.kv_heads} * config_.head_dim;
  const std::size_t value_rows = std::size_t{config_.kv_heads} * config_.value_dim;
  return text + "; rows " + rows_from(0, query_rows, "queries") + ", " + rows_from(query_rows, key_rows, "keys") +
         ", " + rows_from(query_rows + key_rows, value_rows, "values") + '\n';
}

void LayerWeights::require_one_memory() const {
  if (has_extra_token()) {
    throw Failure(file_->name() + ": tensor " + prefix_ + "bias_k: learned extra keys and values are not supported");
  }
  if (value_input_dim_ == config_.kv_input_dim) return;
  throw Failure(file_->name() + ": the keys read rows of " + std::to_string(config_.kv_input_dim) +
                ", the values rows of " + std::to_string(value_input_dim_) + ": no plan has both");
}

MultiHeadWeights LayerWeights::views(const MultiHeadPlan& plan) const {
  MultiHeadWeights weights{.query = data_or_null(query_.array),
                           .key = data_or_null(key_.array),
                           .value = data_or_null(value_.array),
                           .output = data_or_null(output_.array),
                           .query_bias = data_or_null(query_bias_.array),
                           .key_bias = data_or_null(key_bias_.array),
                           .value_bias = data_or_null(value_bias_.array),
                           .output_bias = data_or_null(output_bias_.array)};
  if (!packed_.name.empty()) {
    const MultiHeadWeights parts = split_packed(plan, packed_.array.values.data(), nullptr, nullptr, nullptr);
    weights.query = parts.query;
    weights.key = parts.key;
    weights.value = parts.value;
  }
  // PyTorch keeps the three biases packed even where the weights are separate.
  if (const float* const bias = data_or_null(packed_bias_.array); bias != nullptr) {
    weights.query_bias = bias;
    weights.key_bias = bias + plan.query.outputs;
    weights.value_bias = bias + plan.query.outputs + plan.key.outputs;
  }
  return weights;
}

}  // namespace heed::tools
