// SPDX-License-Identifier: MIT
#include "tensors/model_reader.hpp"

#include <array>
#include <span>
#include <utility>

#include "formats/files.hpp"
#include "support/failure.hpp"
#include "support/progress.hpp"
#include "tensors/family_match.hpp"
#include "tensors/model_names.hpp"
#include "tensors/tensor_reader.hpp"
#include "tensors/weight_checks.hpp"

namespace heed::tools {

namespace {

constexpr std::uint32_t no_block = 0;

/// Of queries, keys and values; empty ones are zeros.
using ProjectionBiases = std::array<std::vector<float>, 3>;

const float* data_or_null(const std::vector<float>& values) {
  return values.empty() ? nullptr : values.data();
}

/// Looks for every tensor of a model, and puts it into a model file if there is one.
class Reader {
 public:
  /// Without a writer, tensors are only looked for. `errors` as in a TensorReader.
  Reader(const WeightFile& file, const ModelNames& names, const ModelPlan& plan, ModelWriter* to,
         RoundingErrors* errors)
      : tensors_(file, names, plan.config.block, to != nullptr, errors), plan_(plan), config_(plan.config), to_(to) {}

  void read();

  [[nodiscard]] TensorReader& tensors() { return tensors_; }

 private:
  [[nodiscard]] bool has(const std::string& role, std::uint32_t block) const { return tensors_.has(role, block); }
  void put_rows(const LinearPlan& plan, std::size_t base, const MatrixNumbers& numbers, std::size_t first,
                const std::vector<float>& bias);
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

  TensorReader tensors_;
  const ModelPlan& plan_;
  const ModelConfig& config_;
  ModelWriter* to_;
};

/// Rows of a matrix, those of the plan from number `first` on.
void Reader::put_rows(const LinearPlan& plan, std::size_t base, const MatrixNumbers& numbers, std::size_t first,
                      const std::vector<float>& bias) {
  if (to_ == nullptr) return;
  const std::size_t from = first * plan.inputs;
  if (numbers.integers.empty()) {
    to_->put_matrix(plan, base, numbers.floats.data() + from, data_or_null(bias));
  } else {
    to_->put_groups(plan, base, numbers.integers.data() + from, numbers.scales.data() + from / scale_group_size,
                    data_or_null(bias));
  }
}

void Reader::put(const std::string& role, std::uint32_t block, const Shape& shape, const Region& region,
                 std::size_t base) {
  const std::vector<float> values = tensors_.take(role, block, shape, DataType::float32);
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
  return tensors_.take(role, block, {plan.outputs}, DataType::float32);
}

void Reader::put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base) {
  put_matrix(role, block, plan, base, take_bias(role + "_bias", block, plan));
}

void Reader::put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base,
                        const std::vector<float>& bias) {
  put_rows(plan, base, tensors_.take_matrix(role, block, {plan.outputs, plan.inputs}, plan), 0, bias);
}

/// Without types of tokens only the first is ever used, so that its row can be added to every position.
void Reader::put_positions() {
  if (config_.positions != Positions::learned) return;
  const std::size_t dim = config_.block.model_dim;
  const ModelNames::Name* const name = tensors_.names().find("positions");
  const std::size_t skipped = name == nullptr ? 0 : name->skipped_rows;
  const std::size_t missing = name == nullptr ? 0 : name->missing_rows;
  const Shape stored{config_.max_positions + skipped - missing, dim};
  std::vector<float> table = tensors_.take("positions", no_block, stored, DataType::float32);
  if (to_ != nullptr) table.insert(table.begin(), missing * dim, 0.0F);
  if (config_.token_types == 0 && has("token_types", no_block)) {
    const std::string tensor = with_block(tensors_.names().find("token_types")->pattern, no_block);
    const FloatArray types = tensors_.file().read(tensor);
    if (types.shape.size() != 2 || types.shape[0] == 0 || types.shape[1] != dim) {
      throw Failure(tensors_.file().name() + ": tensor " + tensor + " " + describe(types.shape) + ": rows of " +
                    std::to_string(dim) + " are needed for `token_types`");
    }
    require_storable(types, DataType::float32, tensors_.file().name() + ": tensor " + tensor);
    tensors_.use(tensor);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] += types.values[i % dim];
  }
  if (to_ != nullptr) to_->put_floats(plan_.file.positions, 0, std::span(table).subspan(skipped * dim));
}

/// A number for every distance that has one of its own, as pack_model() puts them.
void Reader::put_relative_bias() {
  const std::size_t count = config_.relative_buckets;
  const std::vector<float> bias =
      tensors_.take("relative_bias", no_block, {config_.block.heads, count}, DataType::float32);
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
  const std::string head = tensors_.find("head", no_block, shape);
  if (to_ == nullptr) return;
  const std::vector<float> table = tensors_.take("input", no_block, shape, config_.input_type);
  const auto compare = [&](const TensorPlaces& places, std::size_t first, std::span<const float> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == table[places(first + i)]) continue;
      throw Failure(tensors_.file().name() + ": tensor " + head + " is not the embedding table, as tied_head says");
    }
  };
  tensors_.see("head", no_block, shape, config_.input_type, compare);
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
  const std::vector<float> all = tensors_.take(prefix + "qkv_bias", block, rows, DataType::float32);
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
    const MatrixNumbers all = tensors_.take_matrix(prefix + "qkv", block, {rows, plan.query.inputs}, plan.query);
    std::size_t first = 0;
    for (std::size_t i = 0; i < biases.size(); ++i) {
      put_rows(*parts[i], base, all, first, biases[i]);
      first += parts[i]->outputs;
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
  const MatrixNumbers both = tensors_.take_matrix("gate_up", block, {std::size_t{gate.outputs} * 2, gate.inputs}, gate);
  put_rows(gate, base, both, 0, gate_bias);
  put_rows(up, base, both, gate.outputs, up_bias);
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
  const ModelNames::Name* const name = tensors_.names().find(role);
  if (name != nullptr && name->transposed) {
    throw Failure(tensors_.file().name() + ": tensor " + name->pattern +
                  ": a convolution is [out, in, 3], and never transposed");
  }
  const std::size_t channels = plan.inputs / 3;
  const std::vector<float> stored = tensors_.take(role, no_block, {plan.outputs, channels, 3}, plan.type);
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
  Progress progress("block");
  for (std::uint32_t block = 0; block < config_.blocks; ++block) {
    if (to_ != nullptr) progress.show(block + 1, config_.blocks);
    put_block(block, file.block_weights.offset + std::size_t{block} * plan_.block.weights_bytes);
  }
  if (!config_.without_final_norm) put_norm("final_norm", no_block, file.final_norm, 0);
  if (config_.pooler != Pooler::none) put_matrix("pooler", no_block, file.pooler, 0);
  put_head();
}

}  // namespace

ModelTensors read_model_tensors(const ModelDescription& model, std::shared_ptr<const WeightFile> weights,
                                bool allow_unused) {
  const auto errors = model.requantize ? std::make_shared<RoundingErrors>() : nullptr;
  ModelTensors tensors{model.plan.config, {}, model.notes, {}, errors};
  Reader reader(*weights, model.names, model.plan, nullptr, errors.get());
  reader.read();
  tensors.skipped = reader.tensors().unused(model.plan.config.blocks, allow_unused, model.architecture);
  tensors.write = [names = model.names, weights = std::move(weights), errors](const ModelPlan& plan,
                                                                              ModelWriter& writer) {
    if (errors) errors->clear();
    Reader(*weights, names, plan, &writer, errors.get()).read();
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
