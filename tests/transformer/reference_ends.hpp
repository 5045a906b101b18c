// SPDX-License-Identifier: MIT
//
// The double-precision twin of what comes before and after a model's blocks.
#pragma once

#include "transformer/reference_model.hpp"

namespace heed::test {

/// GELU(x W^T + b) over three rows each of x [rows, dim], of every `stride`th row, with rows of zeros around them.
inline Numbers reference_convolution(const Numbers& x, std::size_t dim, std::size_t stride, const float* weight,
                                     const float* bias, std::size_t outputs) {
  const auto rows = static_cast<std::ptrdiff_t>(x.size() / dim);
  Numbers y;
  for (std::ptrdiff_t row = 0; row < rows; row += static_cast<std::ptrdiff_t>(stride)) {
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = at_or_zero(bias, o);
      for (std::ptrdiff_t tap = 0; tap < 3; ++tap) {
        const std::ptrdiff_t at = row + tap - 1;
        if (at < 0 || at >= rows) continue;
        for (std::size_t i = 0; i < dim; ++i) {
          sum += x[static_cast<std::size_t>(at) * dim + i] *
                 double{weight[(o * 3 + static_cast<std::size_t>(tap)) * dim + i]};
        }
      }
      y.push_back(reference_activation(Activation::gelu_erf, sum));
    }
  }
  return y;
}

inline Numbers reference_convolutions(const ModelConfig& c, const ModelWeights& w, const Numbers& frames) {
  const std::size_t dim = c.block.model_dim;
  const Numbers once = reference_convolution(frames, c.input_dim, 1, w.input, w.input_bias, dim);
  return reference_convolution(once, dim, 2, w.second_input, w.second_input_bias, dim);
}

/// Rows [rows, model_dim] as they enter the first block, but for embeddings or projections of frames, which `x` holds;
/// types are those of tokens, and 0 where there are none.
inline Numbers reference_embedding(const ModelConfig& c, const ModelWeights& w, Numbers x,
                                   const std::vector<std::uint32_t>& types = {}) {
  const std::size_t dim = c.block.model_dim;
  for (double& number : x) number *= double{c.embedding_scale};
  for (std::size_t i = 0; c.token_types != 0 && i < x.size(); ++i) {
    x[i] += double{w.token_types[(types.empty() ? 0 : types[i / dim]) * dim + i % dim]};
  }
  if (c.registers != 0) x.insert(x.begin(), w.registers, w.registers + c.registers * dim);
  if (c.class_token) x.insert(x.begin(), w.class_token, w.class_token + dim);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t column = i % dim;
    if (c.positions == Positions::learned) x[i] += double{w.positions[i]};
    if (c.positions != Positions::sinusoidal) continue;
    const double pair = static_cast<double>(column / 2 * 2) / static_cast<double>(dim);
    const double angle = static_cast<double>(i / dim) / std::pow(10000.0, pair);
    x[i] += column % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }
  return c.embedding_norm ? reference_norm(c.block, w.embedding_norm, x) : x;
}

/// The row, or the rows, that the head reads.
inline Numbers reference_pooling(const ModelConfig& c, Numbers x) {
  const auto dim = static_cast<std::ptrdiff_t>(c.block.model_dim);
  if (c.pooling == Pooling::first) x.resize(c.block.model_dim);
  if (c.pooling == Pooling::last) x.erase(x.begin(), x.end() - dim);
  if (c.pooling == Pooling::mean_of_rest) {
    x.erase(x.begin(), x.begin() + dim * ((c.class_token ? 1 : 0) + static_cast<std::ptrdiff_t>(c.registers)));
  }
  if (c.pooling != Pooling::mean && c.pooling != Pooling::mean_of_rest) return x;
  const auto rows = static_cast<double>(x.size() / c.block.model_dim);
  for (std::size_t i = c.block.model_dim; i < x.size(); ++i) x[i % c.block.model_dim] += x[i];
  x.resize(c.block.model_dim);
  for (double& number : x) number /= rows;
  return x;
}

/// Rows [rows, dim], each divided by its length.
inline Numbers reference_units(Numbers x, std::size_t dim) {
  for (std::size_t first = 0; first < x.size(); first += dim) {
    double squares = 0.0;
    for (std::size_t i = 0; i < dim; ++i) squares += x[first + i] * x[first + i];
    for (std::size_t i = 0; i < dim; ++i) x[first + i] /= std::max(std::sqrt(squares), 1e-12);
  }
  return x;
}

/// What a model returns for rows that have passed its blocks.
inline Numbers reference_output(const ModelConfig& c, const ModelWeights& w, Numbers x) {
  const std::size_t dim = c.block.model_dim;
  if (!c.without_final_norm && !c.norm_after_pooling) x = reference_norm(c.block, w.final_norm, x);
  x = reference_pooling(c, x);
  if (c.norm_after_pooling) x = reference_norm(c.block, w.final_norm, x);
  if (c.pooler != Pooler::none) x = reference_linear(x, dim, w.pooler, w.pooler_bias, dim);
  for (double& number : x) {
    if (c.pooler == Pooler::tanh) number = std::tanh(number);
    if (c.pooler == Pooler::relu) number = std::max(number, 0.0);
  }
  if (c.outputs != 0) x = reference_linear(x, dim, c.tied_head ? w.input : w.head, w.head_bias, c.outputs);
  if (c.output_softcap != 0.0F) {
    for (double& number : x) number = double{c.output_softcap} * std::tanh(number / double{c.output_softcap});
  }
  return c.unit_output ? reference_units(x, c.outputs != 0 ? c.outputs : dim) : x;
}

}  // namespace heed::test
