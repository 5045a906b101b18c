// SPDX-License-Identifier: MIT
#include "tensors/model_reader.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
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

/// Of queries, keys and values; empty ones are zeros.
using ProjectionBiases = std::array<std::vector<float>, 3>;

const float* data_or_null(const std::vector<float>& values) {
  return values.empty() ? nullptr : values.data();
}

/// Is shown consecutive numbers of a tensor, the first of which is number `first` of the file's.
using SeePlaced = std::function<void(const TensorPlaces& places, std::size_t first, std::span<const float> numbers)>;

/// Looks for every tensor of a model, and puts it into a model file if there is one.
class Reader {
 public:
  Reader(const WeightFile& file, const ModelNames& names, const ModelPlan& plan, ModelWriter* to)
      : file_(file), names_(names), plan_(plan), config_(plan.config), to_(to) {}

  void read();

  /// What the model does not read; a Failure if there is something that is not allowed.
  [[nodiscard]] std::vector<std::string> unused(bool allowed, const std::string& json);

 private:
  std::string find(const std::string& role, std::uint32_t block, const Shape& shape);
  std::vector<float> row_scales(const ModelNames::Name& name, std::uint32_t block, std::size_t rows);
  void see(const std::string& role, std::uint32_t block, const Shape& shape, DataType type, const SeePlaced& see);
  std::vector<float> take(const std::string& role, std::uint32_t block, const Shape& shape, DataType type);
  [[nodiscard]] bool has(const std::string& role, std::uint32_t block) const;
  void put(const std::string& role, std::uint32_t block, const Shape& shape, const Region& region, std::size_t base);
  void put_norm(const std::string& role, std::uint32_t block, const NormPlan& plan, std::size_t base,
                std::size_t dim = 0);
  std::vector<float> take_bias(const std::string& role, std::uint32_t block, const LinearPlan& plan);
  void put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base);
  void put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base,
                  const std::vector<float>& bias);
  void put_convolution(const std::string& role, const LinearPlan& plan);
  void put_positions();
  void put_head();
  void put_relative_bias();
  void require_tied_head();
  ProjectionBiases take_biases(const std::string& prefix, std::uint32_t block, const MultiHeadPlan& plan);
  void put_attention(const std::string& prefix, std::uint32_t block, const MultiHeadPlan& plan, std::size_t base);
  void put_gate_and_up(std::uint32_t block, std::size_t base);
  void put_block(std::uint32_t block, std::size_t base);

  const WeightFile& file_;
  const ModelNames& names_;
  const ModelPlan& plan_;
  const ModelConfig& config_;
  ModelWriter* to_;  ///< null: tensors are only looked for
  std::set<std::string> used_;
};

/// The tensor of a role, which has the shape that is needed for one of `shape`.
std::string Reader::find(const std::string& role, std::uint32_t block, const Shape& shape) {
  const ModelNames::Name* const name = names_.find(role);
  if (name == nullptr) throw Failure(file_.name() + ": no name is known for the tensor `" + role + "` of the model");
  const std::string tensor = with_block(name->pattern, block);
  const Shape stored = file_.shape(tensor);
  Shape needed = shape;
  if (name->transposed) std::reverse(needed.begin(), needed.end());
  if (!matches(role, stored, needed)) {
    throw Failure(
        file_.name() + ": tensor " + tensor + " " + describe(stored) + ": " + describe(needed) + " is needed for `" +
        role + "`" +
        (name->skipped_rows == 0 ? "" : ", of which positions begin at row " + std::to_string(name->skipped_rows)));
  }
  used_.insert(tensor);
  if (!name->row_scale.empty()) static_cast<void>(row_scales(*name, block, shape.front()));
  return tensor;
}

/// What multiplies each row of a tensor; nothing if it is as it is.
std::vector<float> Reader::row_scales(const ModelNames::Name& name, std::uint32_t block, std::size_t rows) {
  if (name.row_scale.empty()) return {};
  const std::string tensor = with_block(name.row_scale, block);
  FloatArray scales = file_.read(tensor);
  if (scales.shape != Shape{rows}) {
    throw Failure(file_.name() + ": tensor " + tensor + " " + describe(scales.shape) + ": " + describe(Shape{rows}) +
                  " is needed");
  }
  require_storable(scales, DataType::float32, file_.name() + ": tensor " + tensor);
  used_.insert(tensor);
  return std::move(scales.values);
}

/// Shows the numbers of a role's tensor, in the order of the file.
void Reader::see(const std::string& role, std::uint32_t block, const Shape& shape, DataType type,
                 const SeePlaced& see) {
  const std::string tensor = find(role, block, shape);
  const ModelNames::Name& name = *names_.find(role);
  const TensorPlaces places(config_.block, shape, name.transposed, name.order);
  const QueryScale& scale = names_.query_scale();
  const TensorFold of_queries{.scale = scale.by_block ? scale.scale / (block + 1.0) : scale.scale};
  const bool scaled = of_queries.scale != 1.0 && begins_with_queries(role);
  const std::vector<float> scales = row_scales(name, block, shape.front());
  const std::size_t columns = shape.size() == 2 ? shape.back() : 1;
  const std::size_t queries = std::size_t{config_.block.heads} * config_.block.head_dim * columns;
  FloatArray part{file_.shape(tensor), {}};
  file_.read(tensor, [&](std::size_t first, std::span<const float> numbers) {
    part.values.assign(numbers.begin(), numbers.end());
    apply_fold(name.fold, part.values);
    for (std::size_t i = 0; scaled && i < numbers.size(); ++i) {
      if (places(first + i) < queries) apply_fold(of_queries, std::span(part.values).subspan(i, 1));
    }
    if (!scales.empty()) scale_rows(places, columns, first, scales, part.values);
    require_storable(part, type, file_.name() + ": tensor " + tensor, first);
    see(places, first, part.values);
  });
}

/// The numbers of a tensor, row-major as [out, in]; none of them where they are only looked for.
std::vector<float> Reader::take(const std::string& role, std::uint32_t block, const Shape& shape, DataType type) {
  if (to_ == nullptr) {
    static_cast<void>(find(role, block, shape));
    return {};
  }
  std::vector<float> values(byte_count(shape, 1, role));
  see(role, block, shape, type, [&](const TensorPlaces& places, std::size_t first, std::span<const float> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) values[places(first + i)] = numbers[i];
  });
  return values;
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

void Reader::put(const std::string& role, std::uint32_t block, const Shape& shape, const Region& region,
                 std::size_t base) {
  const std::vector<float> values = take(role, block, shape, DataType::float32);
  if (to_ != nullptr) to_->put_floats(region, base, values);
}

/// Of model_dim, unless `dim` says otherwise.
void Reader::put_norm(const std::string& role, std::uint32_t block, const NormPlan& plan, std::size_t base,
                      std::size_t dim) {
  const Shape shape{dim == 0 ? config_.block.model_dim : dim};
  put(role, block, shape, plan.weight, base);
  if (config_.block.norm == Norm::layer_norm && has(role + "_bias", block)) {
    put(role + "_bias", block, shape, plan.bias, base);
  }
}

std::vector<float> Reader::take_bias(const std::string& role, std::uint32_t block, const LinearPlan& plan) {
  if (plan.bias.bytes == 0 || !has(role, block)) return {};
  return take(role, block, {plan.outputs}, DataType::float32);
}

void Reader::put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base) {
  put_matrix(role, block, plan, base, take_bias(role + "_bias", block, plan));
}

void Reader::put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base,
                        const std::vector<float>& bias) {
  const std::vector<float> matrix = take(role, block, {plan.outputs, plan.inputs}, plan.type);
  if (to_ != nullptr) to_->put_matrix(plan, base, matrix.data(), data_or_null(bias));
}

/// Without types of tokens only the first is ever used, so that its row can be added to every position.
void Reader::put_positions() {
  if (config_.positions != Positions::learned) return;
  const std::size_t dim = config_.block.model_dim;
  const ModelNames::Name* const name = names_.find("positions");
  const std::size_t skipped = name == nullptr ? 0 : name->skipped_rows;
  const std::size_t missing = name == nullptr ? 0 : name->missing_rows;
  const Shape stored{config_.max_positions + skipped - missing, dim};
  std::vector<float> table = take("positions", no_block, stored, DataType::float32);
  if (to_ != nullptr) table.insert(table.begin(), missing * dim, 0.0F);
  if (config_.token_types == 0 && has("token_types", no_block)) {
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
  if (to_ != nullptr) to_->put_floats(plan_.file.positions, 0, std::span(table).subspan(skipped * dim));
}

/// A number for every distance that has one of its own, as pack_model() puts them.
void Reader::put_relative_bias() {
  const std::size_t count = config_.relative_buckets;
  const std::vector<float> bias = take("relative_bias", no_block, {config_.block.heads, count}, DataType::float32);
  if (to_ == nullptr) return;
  RelativeBucketsPlan buckets;
  require_ok(make_plan(detail::buckets_of(config_), buckets), "relative_buckets");
  std::vector<float> table;
  for (std::size_t head = 0; head < config_.block.heads; ++head) {
    for (std::uint32_t column = 0; column < buckets.columns; ++column) {
      const auto distance = static_cast<std::int32_t>(column - buckets.left);
      table.push_back(bias[head * count + relative_bucket(buckets, distance)]);
    }
  }
  to_->put_floats(plan_.file.relative_bias, 0, table);
}

/// A head that the file has beside the embedding table must be that table.
void Reader::require_tied_head() {
  const Shape shape{config_.outputs, config_.block.model_dim};
  const std::string head = find("head", no_block, shape);
  if (to_ == nullptr) return;
  const std::vector<float> table = take("input", no_block, shape, config_.input_type);
  const auto compare = [&](const TensorPlaces& places, std::size_t first, std::span<const float> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == table[places(first + i)]) continue;
      throw Failure(file_.name() + ": tensor " + head + " is not the embedding table, as tied_head says");
    }
  };
  see("head", no_block, shape, config_.input_type, compare);
}

void Reader::put_head() {
  if (config_.outputs == 0) return;
  if (!config_.tied_head) {
    put_matrix("head", no_block, plan_.file.head, 0);
  } else if (has("head", no_block) && has("input", no_block)) {
    require_tied_head();
  }
}

ProjectionBiases Reader::take_biases(const std::string& prefix, std::uint32_t block, const MultiHeadPlan& plan) {
  const LinearPlan* const parts[] = {&plan.query, &plan.key, &plan.value};
  if (!has(prefix + "qkv_bias", block)) {
    return {take_bias(prefix + "query_bias", block, plan.query), take_bias(prefix + "key_bias", block, plan.key),
            take_bias(prefix + "value_bias", block, plan.value)};
  }
  const Shape rows{std::size_t{plan.query.outputs} + plan.key.outputs + plan.value.outputs};
  const std::vector<float> all = take(prefix + "qkv_bias", block, rows, DataType::float32);
  ProjectionBiases biases;
  auto from = all.begin();
  for (std::size_t i = 0; i < biases.size() && !all.empty(); ++i) {
    biases[i].assign(from, from + parts[i]->outputs);
    from += parts[i]->outputs;
  }
  return biases;
}

void Reader::put_attention(const std::string& prefix, std::uint32_t block, const MultiHeadPlan& plan,
                           std::size_t base) {
  const LinearPlan* const parts[] = {&plan.query, &plan.key, &plan.value};
  const char* const roles[] = {"query", "key", "value"};
  const ProjectionBiases biases = take_biases(prefix, block, plan);
  const bool fused = plan.key.inputs == plan.query.inputs && has(prefix + "qkv", block);
  if (fused) {
    const std::size_t rows = std::size_t{plan.query.outputs} + plan.key.outputs + plan.value.outputs;
    const std::vector<float> all = take(prefix + "qkv", block, {rows, plan.query.inputs}, plan.query.type);
    const float* weight = all.data();
    for (std::size_t i = 0; i < biases.size() && to_ != nullptr; ++i) {
      to_->put_matrix(*parts[i], base, weight, data_or_null(biases[i]));
      weight += std::size_t{parts[i]->outputs} * parts[i]->inputs;
    }
  } else {
    for (std::size_t i = 0; i < biases.size(); ++i) {
      put_matrix(prefix + roles[i], block, *parts[i], base, biases[i]);
    }
  }
  put_matrix(prefix + "output", block, plan.output, base);
}

void Reader::put_gate_and_up(std::uint32_t block, std::size_t base) {
  const LinearPlan& gate = plan_.block.mlp.gate;
  const LinearPlan& up = plan_.block.mlp.up;
  if (!config_.block.gated || !has("gate_up", block)) {
    if (config_.block.gated) put_matrix("gate", block, gate, base);
    put_matrix("up", block, up, base);
    return;
  }
  const std::vector<float> gate_bias = take_bias("gate_bias", block, gate);
  const std::vector<float> up_bias = take_bias("up_bias", block, up);
  const std::vector<float> both = take("gate_up", block, {std::size_t{gate.outputs} * 2, gate.inputs}, gate.type);
  if (to_ == nullptr) return;
  to_->put_matrix(gate, base, both.data(), data_or_null(gate_bias));
  to_->put_matrix(up, base, both.data() + both.size() / 2, data_or_null(up_bias));
}

void Reader::put_block(std::uint32_t block, std::size_t base) {
  const BlockPlan& plan = plan_.block;
  put_norm("attention_norm", block, plan.attention_norm, base);
  put_attention("", block, plan.attention, base + plan.attention_weights.offset);
  if (plan.config.cross_dim != 0) {
    put_norm("cross_norm", block, plan.cross_norm, base);
    put_attention("cross_", block, plan.cross, base + plan.cross_weights.offset);
  }
  if (plan.config.qk_norm != QkNorm::none) {
    put_norm("query_norm", block, plan.query_norm, base, plan.config.head_dim);
    put_norm("key_norm", block, plan.key_norm, base, plan.config.head_dim);
  }
  put_norm("mlp_norm", block, plan.mlp_norm, base);
  if (plan.config.norm_placement == NormPlacement::both) {
    put_norm("attention_output_norm", block, plan.attention_output_norm, base);
    put_norm("mlp_output_norm", block, plan.mlp_output_norm, base);
  }
  put_gate_and_up(block, base);
  put_matrix("down", block, plan.mlp.down, base);
}

/// A file has the three numbers of a channel beside each other, a model the channels of each of three frames.
void Reader::put_convolution(const std::string& role, const LinearPlan& plan) {
  const ModelNames::Name* const name = names_.find(role);
  if (name != nullptr && name->transposed) {
    throw Failure(file_.name() + ": tensor " + name->pattern + ": a convolution is [out, in, 3], and never transposed");
  }
  const std::size_t channels = plan.inputs / 3;
  const std::vector<float> stored = take(role, no_block, {plan.outputs, channels, 3}, plan.type);
  const std::vector<float> bias = take_bias(role + "_bias", no_block, plan);
  std::vector<float> matrix(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::size_t channel = i / 3 % channels;
    matrix[i - i % plan.inputs + i % 3 * channels + channel] = stored[i];
  }
  if (to_ != nullptr) to_->put_matrix(plan, 0, matrix.data(), data_or_null(bias));
}

void Reader::read() {
  const ModelFilePlan& file = plan_.file;
  // Of a table that is also the head a file may have either.
  const bool under_head = config_.tied_head && !has("input", no_block) && has("head", no_block);
  if (config_.input == ModelInput::convolutions) {
    put_convolution("input", file.input);
    put_convolution("second_input", file.second_input);
  } else {
    put_matrix(under_head ? "head" : "input", no_block, file.input, 0);
  }
  const std::size_t dim = config_.block.model_dim;
  if (config_.class_token) put("class_token", no_block, {dim}, file.class_token, 0);
  put_positions();
  if (config_.registers != 0) put("register_tokens", no_block, {config_.registers, dim}, file.registers, 0);
  if (config_.token_types != 0) put("token_types", no_block, {config_.token_types, dim}, file.token_types, 0);
  if (config_.relative_buckets != 0) put_relative_bias();
  if (config_.embedding_norm) put_norm("embedding_norm", no_block, file.embedding_norm, 0);
  for (std::uint32_t block = 0; block < config_.blocks; ++block) {
    put_block(block, file.block_weights.offset + std::size_t{block} * plan_.block.weights_bytes);
  }
  if (!config_.without_final_norm) put_norm("final_norm", no_block, file.final_norm, 0);
  if (config_.pooler != Pooler::none) put_matrix("pooler", no_block, file.pooler, 0);
  put_head();
}

std::vector<std::string> Reader::unused(bool allowed, const std::string& json) {
  constexpr std::size_t shown = 6;
  std::vector<std::string> skipped;
  for (const std::string& buffer : names_.buffers()) {
    for (std::uint32_t block = 0; block < config_.blocks; ++block) {
      const std::string tensor = with_block(buffer, block);
      if (file_.has(tensor) && used_.insert(tensor).second) skipped.push_back(tensor);
    }
  }
  std::vector<std::string> unused;
  for (const std::string& tensor : file_.names()) {
    if (!used_.contains(tensor) && !names_.is_of_another_part(tensor)) unused.push_back(tensor);
  }
  if (unused.empty() || allowed) {
    skipped.insert(skipped.end(), unused.begin(), unused.end());
    return skipped;
  }
  std::string text = file_.name() + ": the model of " + json + " does not use";
  for (std::size_t i = 0; i < unused.size() && i < shown; ++i) text += (i == 0 ? " " : ", ") + unused[i];
  if (unused.size() > shown) text += " and " + std::to_string(unused.size() - shown) + " more";
  throw Failure(text + " (--allow-unused leaves them out)");
}

}  // namespace

ModelTensors read_model_tensors(const ModelDescription& model, std::shared_ptr<const WeightFile> weights,
                                bool allow_unused) {
  ModelTensors tensors{model.plan.config, {}, model.notes, {}};
  Reader reader(*weights, model.names, model.plan, nullptr);
  reader.read();
  tensors.skipped = reader.unused(allow_unused, model.architecture);
  tensors.write = [names = model.names, weights = std::move(weights)](const ModelPlan& plan, ModelWriter& writer) {
    Reader(*weights, names, plan, &writer).read();
  };
  return tensors;
}

ModelTensors read_model_tensors(const std::filesystem::path& architecture, const std::filesystem::path& weights,
                                bool allow_unused, const StoredTypes& types) {
  const std::string text = with_option("--model", [&] { return read_file(architecture); });
  Architecture parsed = parse_architecture(text, architecture.string());
  const auto file = std::make_shared<const WeightFile>(weights, "--weights");
  return read_model_tensors(describe_model(std::move(parsed), *file, types), file, allow_unused);
}

}  // namespace heed::tools
