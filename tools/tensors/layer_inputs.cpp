// SPDX-License-Identifier: MIT
#include "tensors/layer_inputs.hpp"

#include <algorithm>
#include <utility>

#include "formats/npy.hpp"
#include "heed/positions.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

void require_same_batch(const TokenRows& rows, const TokenRows& x) {
  if (rows.batch != x.batch) throw Failure(rows.name + " and " + x.name + " differ in batch");
}

/// The key or the value of an extra token, [heads * dim] or PyTorch's [1, 1, heads * dim].
std::vector<float> read_token(const std::string& name, FloatArray array, std::size_t width) {
  const bool flat = array.shape == Shape{width};
  if (!flat && array.shape != Shape{1, 1, width}) {
    throw Failure(name + " " + describe(array.shape) + ": " + describe({width}) + " or " + describe({1, 1, width}) +
                  " is needed");
  }
  return std::move(array.values);
}

}  // namespace

void add_layer_input_options(CLI::App& command, LayerInputFiles& files) {
  const auto file = [&](const char* name, std::string& place, const char* text) {
    return command.add_option(name, place, text)->type_name("FILE");
  };
  file("--input", files.input, "x [batch, tokens, model_dim] or [tokens, model_dim]")->required();
  file("--kv-input", files.memory, "what keys and values come from (cross-attention); x unless given");
  file("--key", files.key, "what keys come from, of the width kdim of their weights; with --value");
  file("--value", files.value, "what values come from, of the width vdim of their weights; with --key");
  file("--bias-k", files.extra_key,
       "the key of a token after all others, that every query sees; the tensor bias_k if the weights have it");
  file("--bias-v", files.extra_value, "its value; the tensor bias_v if the weights have it");
  command.add_flag("--add-zero-attn", files.zero_token, "a key and a value of 0 after all others");
}

LayerInputs::LayerInputs(const LayerInputFiles& files, const LayerWeights& weights, const std::string& weight_file,
                         std::uint32_t workers)
    : weight_file_(weight_file) {
  read(files, weights);
  MultiHeadConfig config = weights.config();
  config.weight_type = DataType::float32;  // dequantized weights have the same bits
  config.max_sequences = x_.batch;
  config.workers = workers;
  config.max_keys = keys();
  plan_ = planned<MultiHeadPlan>(names(), config);
  views_ = weights.views(plan_);
  if (files.extra_key.empty() != files.extra_value.empty()) throw Failure("--bias-k and --bias-v go together");
  const bool extra = files.zero_token || !files.extra_key.empty() || weights.has_extra_token();
  if (value_ || extra) project(files, weights);
}

void LayerInputs::read(const LayerInputFiles& files, const LayerWeights& weights) {
  const MultiHeadConfig& config = weights.config();
  x_ = read_token_rows("--input", files.input, config.model_dim, weight_file_);
  if (files.key.empty() != files.value.empty()) throw Failure("--key and --value go together");
  if (!files.key.empty()) {
    if (!files.memory.empty()) throw Failure("--kv-input excludes --key and --value");
    memory_ = read_token_rows("--key", files.key, config.kv_input_dim, weight_file_);
    value_ = read_token_rows("--value", files.value, weights.value_input_dim(), weight_file_);
    require_same_batch(*value_, x_);
    if (memory_->tokens != value_->tokens) {
      throw Failure(memory_->name + " and " + value_->name + " differ in tokens");
    }
  } else if (weights.value_input_dim() != config.kv_input_dim) {
    throw Failure(weight_file_ + ": the keys read rows of " + std::to_string(config.kv_input_dim) +
                  ", the values rows of " + std::to_string(weights.value_input_dim()) +
                  ": --key and --value are needed");
  } else if (!files.memory.empty()) {
    memory_ = read_token_rows("--kv-input", files.memory, config.kv_input_dim, weight_file_);
  } else if (config.kv_input_dim != config.model_dim) {
    throw Failure(weight_file_ + ": the keys read rows of " + std::to_string(config.kv_input_dim) +
                  ", the queries rows of " + std::to_string(config.model_dim) + ": --kv-input is needed");
  }
  if (memory_) require_same_batch(*memory_, x_);
}

void LayerInputs::project(const LayerInputFiles& files, const LayerWeights& weights) {
  MultiHeadConfig config = plan_.config;
  const TokenRows& key_rows = memory_ ? *memory_ : x_;
  const TokenRows& value_rows = value_ ? *value_ : key_rows;
  projected_.emplace(KeyValueRows{
      ProjectedRows({views_.key, views_.key_bias, config.kv_input_dim, config.kv_heads, config.head_dim}, key_rows),
      ProjectedRows({views_.value, views_.value_bias, weights.value_input_dim(), config.kv_heads, config.value_dim},
                    value_rows)});
  const std::size_t key_width = std::size_t{config.kv_heads} * config.head_dim;
  const std::size_t value_width = std::size_t{config.kv_heads} * config.value_dim;
  const auto add = [&](const std::vector<float>& key, const std::vector<float>& value) {
    projected_->key.add_token(key);
    projected_->value.add_token(value);
    ++extra_keys_;
  };
  if (!files.extra_key.empty()) {
    const auto read = [](const std::string& option, const std::string& file, std::size_t width) {
      return read_token(option + " " + file, with_option(option, [&] { return read_npy(file); }), width);
    };
    const auto key = read("--bias-k", files.extra_key, key_width);
    add(key, read("--bias-v", files.extra_value, value_width));
  } else if (weights.has_extra_token()) {
    const auto key = read_token(weight_file_ + ": tensor bias_k", weights.extra_key(), key_width);
    add(key, read_token(weight_file_ + ": tensor bias_v", weights.extra_value(), value_width));
  }
  if (files.zero_token) add(std::vector<float>(key_width), std::vector<float>(value_width));

  // The layer itself projects queries and outputs alone.
  config.kv_input_dim = 1;
  config.max_keys = projected_->key.tokens();
  plan_ = planned<MultiHeadPlan>(names(), config);
  zeros_.assign(std::max(key_width, value_width), 0.0F);
  views_.key = zeros_.data();
  views_.value = zeros_.data();
}

void LayerInputs::fill(MultiHeadAttention& layer, const MultiHeadOptions& options, const Executor& executor) const {
  if (!projected_) {
    require_ok(layer.append(x_.batch, nullptr, memory_->tokens, memory_->matrix(), options, executor), names());
    return;
  }
  const std::uint32_t tokens = projected_->key.tokens();
  for (std::uint32_t batch = 0; batch < x_.batch; ++batch) {
    const ConstTensor key = projected_->key.batch_entry(batch);
    const ConstTensor value = projected_->value.batch_entry(batch);
    const std::uint32_t* const positions =
        options.positions == nullptr ? nullptr : options.positions + std::size_t{batch} * tokens;
    require_ok(options.rotary == nullptr
                   ? layer.cache().append(batch, tokens, key, value)
                   : append_rotated(layer.cache(), batch, tokens, key, value, *options.rotary, positions),
               names());
  }
}

std::string LayerInputs::names() const {
  std::string text = weight_file_ + ", " + x_.name;
  if (memory_) text += ", " + memory_->name;
  if (value_) text += ", " + value_->name;
  return text;
}

}  // namespace heed::tools
