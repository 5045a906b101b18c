// SPDX-License-Identifier: MIT
//
// The double-precision twin of a model: naive, all rows at once.
#pragma once

#include "transformer/reference_block.hpp"

namespace heed::test {

/// Rows [rows, model_dim] as they enter the first block, but for embeddings or projections of frames, which `x` holds.
inline Numbers reference_embedding(const ModelConfig& c, const ModelWeights& w, Numbers x) {
  const std::size_t dim = c.block.model_dim;
  for (double& number : x) number *= double{c.embedding_scale};
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

/// What a model returns for rows that have passed its blocks.
inline Numbers reference_output(const ModelConfig& c, const ModelWeights& w, Numbers x) {
  const std::size_t dim = c.block.model_dim;
  const std::size_t rows = x.size() / dim;
  if (!c.without_final_norm) x = reference_norm(c.block, w.final_norm, x);
  if (c.pooling == Pooling::first) x.resize(dim);
  if (c.pooling == Pooling::last) x.erase(x.begin(), x.end() - static_cast<std::ptrdiff_t>(dim));
  if (c.pooling == Pooling::mean) {
    for (std::size_t i = dim; i < x.size(); ++i) x[i % dim] += x[i];
    x.resize(dim);
    for (double& number : x) number /= static_cast<double>(rows);
  }
  if (c.outputs == 0) return x;
  return reference_linear(x, dim, c.tied_head ? w.input : w.head, w.head_bias, c.outputs);
}

}  // namespace heed::test
