// SPDX-License-Identifier: MIT
#include "tensors/model_inputs.hpp"

#include <algorithm>

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

/// Numbers below `end`, one for every token.
std::vector<std::uint32_t> read_numbers(const std::string& option, const std::string& file, const ModelInputs& inputs,
                                        std::uint32_t end, const std::string& rule) {
  const IntegerArray array = with_option(option, [&] { return read_npy_integers(file); });
  const std::string what = option + " " + file + " " + describe(array.shape);
  const Shape needed = inputs.batched ? Shape{inputs.batch, inputs.count} : Shape{inputs.count};
  if (array.shape != needed) throw Failure(what + ": " + describe(needed) + " is needed, as the tokens have it");
  std::vector<std::uint32_t> numbers;
  for (const std::int64_t number : array.values) {
    if (number < 0 || number >= std::int64_t{end}) {
      throw Failure(what + ": number " + std::to_string(numbers.size()) + " is " + std::to_string(number) + ", and " +
                    rule);
    }
    numbers.push_back(static_cast<std::uint32_t>(number));
  }
  return numbers;
}

}  // namespace

void read_token_types(const std::string& option, const std::string& file, const ModelConfig& config,
                      ModelInputs& inputs) {
  if (config.token_types == 0) throw Failure(option + " means nothing: the model has no types of tokens");
  const std::string rule = "the model has " + std::to_string(config.token_types) + " types";
  inputs.types = read_numbers(option, file, inputs, config.token_types, rule);
}

void read_token_mask(const std::string& option, const std::string& file, const ModelConfig& config,
                     ModelInputs& inputs) {
  if (!config.encoder || config.input != ModelInput::tokens) {
    throw Failure(option + " means nothing: the model is no encoder of tokens");
  }
  const std::vector<std::uint32_t> mask = read_numbers(option, file, inputs, 2, "a mask has 0 and 1");
  for (std::size_t first = 0; first < mask.size(); first += inputs.count) {
    const auto entry = std::span(mask).subspan(first, inputs.count);
    const auto padding = std::find(entry.begin(), entry.end(), 0U);
    const std::string what = option + " " + file + ": entry " + std::to_string(first / inputs.count);
    if (padding == entry.begin()) throw Failure(what + " begins with 0: padding is at the end, after a token at least");
    if (std::find(padding, entry.end(), 1U) != entry.end())
      throw Failure(what + " has a 1 after a 0: padding is at the end");
    inputs.lengths.push_back(static_cast<std::uint32_t>(padding - entry.begin()));
  }
}

void require_counted_tokens(const std::string& option, const std::string& file, const ModelConfig& config,
                            const ModelInputs& inputs) {
  if (config.excluded_token == 0) return;
  const std::uint32_t excluded = config.excluded_token - 1;
  for (std::uint32_t entry = 0; entry < inputs.batch; ++entry) {
    const std::span<const std::uint32_t> tokens = inputs.tokens_of(entry);
    const auto found = std::find(tokens.begin(), tokens.end(), excluded);
    if (found == tokens.end()) continue;
    throw Failure(option + " " + file + ": token " + std::to_string(found - tokens.begin()) + " is " +
                  std::to_string(excluded) +
                  ", which fills texts and has no position in this model; --mask says where " + "a text ends");
  }
}

ModelInputs read_model_inputs(const std::string& option, const std::string& file, const ModelConfig& config) {
  ModelInputs inputs;
  if (config.input == ModelInput::tokens) {
    inputs = read_tokens(option, file, config);
  } else {
    TokenRows rows = read_token_rows(option, file, config.input_dim, "the model");
    inputs.batch = rows.batch;
    inputs.count = rows.tokens;
    inputs.batched = rows.array.shape.size() == 3;
    inputs.frames = std::move(rows.array);
  }
  if (const std::size_t rows = detail::encoder_rows(config, inputs.count); rows > config.max_positions) {
    throw Failure(option + " " + file + ": " + std::to_string(rows) +
                  " rows go through the blocks, and the model has " + std::to_string(config.max_positions) +
                  " positions");
  }
  return inputs;
}

}  // namespace heed::tools
