// SPDX-License-Identifier: MIT
#include "cases/layer_case.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::bench {
namespace {

using Doubles = std::vector<double>;

[[nodiscard]] Floats scaled(std::size_t count, std::uint32_t seed, float factor) {
  Floats values = some_floats(count, seed);
  for (float& value : values) value *= factor;
  return values;
}

/// x [rows, dim] W^T + b, with W [dim, dim].
[[nodiscard]] Doubles project(const Doubles& x, std::size_t rows, const Floats& weight, const Floats& bias) {
  const std::size_t dim = bias.size();
  Doubles y(rows * dim);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t o = 0; o < dim; ++o) {
      double sum = bias[o];
      for (std::size_t i = 0; i < dim; ++i) sum += x[row * dim + i] * weight[o * dim + i];
      y[row * dim + o] = sum;
    }
  }
  return y;
}

/// One row of all heads: query [dim], keys and values [rows, dim].
[[nodiscard]] Doubles attend_in_double(const Doubles& query, const Doubles& keys, const Doubles& values,
                                       std::size_t heads) {
  const std::size_t dim = query.size();
  const std::size_t rows = keys.size() / dim;
  const std::size_t head_dim = dim / heads;
  Doubles contexts(dim);
  Doubles weights(rows);
  for (std::size_t first = 0; first < dim; first += head_dim) {
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      double score = 0;
      for (std::size_t d = first; d < first + head_dim; ++d) score += query[d] * keys[row * dim + d];
      weights[row] = std::exp(score / std::sqrt(static_cast<double>(head_dim)));
      sum += weights[row];
    }
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t d = first; d < first + head_dim; ++d) contexts[d] += weights[row] / sum * values[row * dim + d];
    }
  }
  return contexts;
}

}  // namespace

Work work_of(const LayerShape& shape) {
  const double tokens = shape.tokens;
  const double dim = shape.model_dim;
  return {.flop = 4 * 2 * tokens * dim * dim + 4 * tokens * tokens * dim};
}

LayerWeights::LayerWeights(std::uint32_t model_dim) {
  const std::size_t size = std::size_t{model_dim} * model_dim;
  const float factor = 1.0F / std::sqrt(static_cast<float>(model_dim));
  std::uint32_t seed = 1;
  for (Floats* weight : {&query, &key, &value, &output}) *weight = scaled(size, seed++, factor);
  for (Floats* bias : {&query_bias, &key_bias, &value_bias, &output_bias}) *bias = scaled(model_dim, seed++, factor);
}

LayerCase::LayerCase(const LayerShape& shape) : shape_(shape), weights_(shape.model_dim) {
  expect(
      make_plan(MultiHeadConfig{.model_dim = shape.model_dim, .heads = shape.heads, .max_keys = shape.tokens}, plan_),
      "layer plan");
  const std::size_t size = std::size_t{shape.tokens} * shape.model_dim;
  tensors_ = place_tensors(size, 0, 0, size, 0);
  arena_.resize(plan_.bytes);
  packed_.resize(plan_.weights_bytes);
  const MultiHeadWeights weights{.query = weights_.query.data(),
                                 .key = weights_.key.data(),
                                 .value = weights_.value.data(),
                                 .output = weights_.output.data(),
                                 .query_bias = weights_.query_bias.data(),
                                 .key_bias = weights_.key_bias.data(),
                                 .value_bias = weights_.value_bias.data(),
                                 .output_bias = weights_.output_bias.data()};
  expect(pack_weights(plan_, weights, packed_), "pack_weights()");
  expect(layer_.init(plan_, arena_, packed_), "init()");
}

void LayerCase::run() const {
  MultiHeadInputs inputs;
  inputs.tokens = shape_.tokens;
  inputs.input = dense(tensors_.query, shape_.tokens, shape_.model_dim);
  MultiHeadOutputs outputs;
  outputs.output = dense(tensors_.output, shape_.tokens, shape_.model_dim);
  expect(layer_.encode(inputs, outputs), "encode()");
}

void LayerCase::check(const std::string& what) const {
  const std::size_t dim = shape_.model_dim;
  const std::size_t rows = shape_.tokens;
  const Doubles x(tensors_.query, tensors_.query + rows * dim);
  const Doubles keys = project(x, rows, weights_.key, weights_.key_bias);
  const Doubles values = project(x, rows, weights_.value, weights_.value_bias);
  for (const std::size_t row : {std::size_t{0}, rows / 2, rows - 1}) {
    const auto at = static_cast<std::ptrdiff_t>(row * dim);
    const Doubles one_row(x.begin() + at, x.begin() + at + static_cast<std::ptrdiff_t>(dim));
    const Doubles query = project(one_row, 1, weights_.query, weights_.query_bias);
    const Doubles contexts = attend_in_double(query, keys, values, shape_.heads);
    const Doubles expected = project(contexts, 1, weights_.output, weights_.output_bias);
    double greatest = 0;
    double off = 0;
    for (std::size_t d = 0; d < dim; ++d) {
      greatest = std::max(greatest, std::abs(expected[d]));
      off = std::max(off, std::abs(expected[d] - tensors_.output[row * dim + d]));
    }
    if (!(off <= 1e-5 * greatest)) fail(what + " is wrong: off by " + std::to_string(off / greatest));
  }
}

}  // namespace heed::bench
