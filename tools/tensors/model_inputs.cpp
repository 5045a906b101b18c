// SPDX-License-Identifier: MIT
#include "tensors/model_inputs.hpp"

#include "formats/npy.hpp"
#include "support/failure.hpp"
#include "tensors/token_rows.hpp"

namespace heed::tools {

namespace {

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
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const std::int64_t token = array.values[i];
    if (token < 0 || token >= std::int64_t{config.input_dim}) {
      throw Failure(what + ": token " + std::to_string(i) + " is " + std::to_string(token) +
                    ", and the vocabulary has " + std::to_string(config.input_dim));
    }
    inputs.tokens.push_back(static_cast<std::uint32_t>(token));
  }
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

}  // namespace heed::tools
