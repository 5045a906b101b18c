// SPDX-License-Identifier: MIT
#include "tensors/model_reader.hpp"

#include <span>
#include <utility>

#include "formats/files.hpp"
#include "support/failure.hpp"
#include "support/progress.hpp"
#include "tensors/block_reader.hpp"
#include "tensors/family_match.hpp"
#include "tensors/model_names.hpp"
#include "tensors/weight_checks.hpp"
#include "tensors/weight_placer.hpp"

namespace heed::tools {

namespace {

constexpr std::uint32_t no_block = 0;

/// Goes through every tensor of a model: its ends, and its blocks between.
class Reader {
 public:
  /// As a WeightPlacer.
  Reader(const WeightFile& file, const ModelNames& names, const ModelPlan& plan, ModelWriter* to,
         RoundingErrors* errors)
      : weights_(file, names, plan.config, to, errors),
        tensors_(weights_.tensors()),
        to_(to),
        plan_(plan),
        config_(plan.config) {}

  void read();

  [[nodiscard]] TensorReader& tensors() { return tensors_; }

 private:
  void put_convolution(const std::string& role, const LinearPlan& plan);
  void put_positions();
  void put_head();
  void put_relative_bias();
  void require_tied_head();

  WeightPlacer weights_;
  TensorReader& tensors_;
  ModelWriter* to_;
  const ModelPlan& plan_;
  const ModelConfig& config_;
};

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
  if (config_.token_types == 0 && weights_.has("token_types", no_block)) {
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
    weights_.put_matrix("head", no_block, plan_.file.head, 0);
  } else if (weights_.has("head", no_block) && weights_.has("input", no_block)) {
    require_tied_head();
  }
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
  const std::vector<float> bias = weights_.take_bias(role + "_bias", no_block, plan);
  std::vector<float> matrix(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::size_t channel = i / 3 % channels;
    matrix[i - i % plan.inputs + i % 3 * channels + channel] = stored[i];
  }
  if (to_ != nullptr) to_->put_matrix(plan, 0, matrix.data(), bias.empty() ? nullptr : bias.data());
}

void Reader::read() {
  const ModelFilePlan& file = plan_.file;
  // Of a table that is also the head a file may have either.
  const bool under_head = config_.tied_head && !weights_.has("input", no_block) && weights_.has("head", no_block);
  if (config_.input == ModelInput::convolutions) {
    put_convolution("input", file.input);
    put_convolution("second_input", file.second_input);
  } else if (config_.input != ModelInput::none) {
    weights_.put_matrix(under_head ? "head" : "input", no_block, file.input, 0);
  }
  const std::size_t dim = config_.block.model_dim;
  if (config_.class_token) weights_.put("class_token", no_block, {dim}, file.class_token, 0);
  put_positions();
  if (config_.registers != 0) weights_.put("register_tokens", no_block, {config_.registers, dim}, file.registers, 0);
  if (config_.token_types != 0) weights_.put("token_types", no_block, {config_.token_types, dim}, file.token_types, 0);
  if (config_.relative_buckets != 0) put_relative_bias();
  if (config_.embedding_norm) weights_.put_norm("embedding_norm", no_block, file.embedding_norm, 0);
  Progress progress("block");
  for (std::uint32_t block = 0; block < config_.blocks; ++block) {
    if (to_ != nullptr) progress.show(block + 1, config_.blocks);
    put_block(weights_, plan_.block, block, file.block_weights.offset + std::size_t{block} * plan_.block.weights_bytes);
  }
  if (!config_.without_final_norm) weights_.put_norm("final_norm", no_block, file.final_norm, 0);
  if (config_.pooler != Pooler::none) weights_.put_matrix("pooler", no_block, file.pooler, 0);
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
