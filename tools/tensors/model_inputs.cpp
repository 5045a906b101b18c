// SPDX-License-Identifier: MIT
#include "tensors/model_inputs.hpp"

#include "formats/npy.hpp"
#include "support/failure.hpp"
#include "tensors/token_rows.hpp"

namespace heed::tools {

namespace {

/// Whole numbers below `end`, of which a message says that the model has so many.
std::vector<std::uint32_t> below(const IntegerArray& array, std::uint32_t end, const char* one, const char* all,
                                 const std::string& what) {
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const std::int64_t value = array.values[i];
    if (value < 0 || value >= std::int64_t{end}) {
      throw Failure(what + ": " + one + ' ' + std::to_string(i) + " is " + std::to_string(value) + ", and " + all +
                    ' ' + std::to_string(end));
    }
    values.push_back(static_cast<std::uint32_t>(value));
  }
  return values;
}

ModelInputs read_tokens(const std::string& option, const std::string& file, const ModelConfig& config) {
  const IntegerArray array = with_option(option, [&] { return read_npy_integers(file); });
  const std::string what = option + " " + file + " " + describe(array.shape);
  if (array.shape.size() != 1 && array.shape.size() != 2) {
    throw Failure(what + ": [tokens] or [batch, tokens] is needed");
  }
  ModelInputs inputs;
  inputs.batched = array.shape.size() == 2;
  inputs.batch = inputs.batched ? to_size(array.shape[0], what) : 1;
  inputs.count = to_size(array.shape.back(), what);
  if (array.values.empty()) throw Failure(what + ": there are no tokens");
  inputs.tokens = below(array, config.input_dim, "token", "the vocabulary has", what);
  return inputs;
}

}  // namespace

ModelInputs read_model_inputs(const std::string& option, const std::string& file, const ModelConfig& config) {
  if (config.input == ModelInput::tokens) return read_tokens(option, file, config);
  TokenRows rows = read_token_rows(option, file, config.input_dim, "the model");
  ModelInputs inputs;
  inputs.batch = rows.batch;
  inputs.count = rows.tokens;
  inputs.batched = rows.array.shape.size() == 3;
  inputs.frames = std::move(rows.array);
  return inputs;
}

void read_token_types(const std::string& option, const std::string& file, const ModelConfig& config,
                      ModelInputs& inputs) {
  if (config.token_types == 0) throw Failure(option + " means nothing: the model has no types of tokens");
  const IntegerArray array = with_option(option, [&] { return read_npy_integers(file); });
  const std::string what = option + " " + file + " " + describe(array.shape);
  const Shape needed = inputs.batched ? Shape{inputs.batch, inputs.count} : Shape{inputs.count};
  if (array.shape != needed) throw Failure(what + ": " + describe(needed) + " is needed, as the tokens");
  inputs.types = below(array, config.token_types, "type", "the model has", what);
}

}  // namespace heed::tools
