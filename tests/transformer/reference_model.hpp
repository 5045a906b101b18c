// SPDX-License-Identifier: MIT
//
// The double-precision twin of a model: naive, all rows at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/model.hpp"

namespace heed::test {

using Numbers = std::vector<double>;  ///< [rows, dim], dense

inline double at_or_zero(const float* values, std::size_t i) {
  return values != nullptr ? double{values[i]} : 0.0;
}

inline Numbers reference_linear(const Numbers& x, std::size_t inputs, const float* weight, const float* bias,
                                std::size_t outputs) {
  Numbers y;
  for (std::size_t row = 0; row < x.size() / inputs; ++row) {
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = at_or_zero(bias, o);
      for (std::size_t i = 0; i < inputs; ++i) sum += x[row * inputs + i] * double{weight[o * inputs + i]};
      y.push_back(sum);
    }
  }
  return y;
}

inline Numbers reference_norm(const BlockConfig& c, const NormWeights& weights, Numbers x) {
  const std::size_t dim = c.model_dim;
  for (std::size_t first = 0; first < x.size(); first += dim) {
    double mean = 0.0;
    for (std::size_t i = 0; i < dim; ++i) mean += x[first + i] / static_cast<double>(dim);
    if (c.norm == Norm::rms_norm) mean = 0.0;
    double variance = 0.0;
    for (std::size_t i = 0; i < dim; ++i) variance += std::pow(x[first + i] - mean, 2) / static_cast<double>(dim);
    const double factor = 1.0 / std::sqrt(variance + double{c.norm_epsilon});
    for (std::size_t i = 0; i < dim; ++i) {
      x[first + i] = (x[first + i] - mean) * factor * double{weights.weight[i]} + at_or_zero(weights.bias, i);
    }
  }
  return x;
}

inline double reference_activation(Activation kind, double x) {
  switch (kind) {
    case Activation::relu: return std::max(x, 0.0);
    case Activation::gelu_tanh: return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf: return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu: return x / (1.0 + std::exp(-x));
  }
  return x;
}

/// Rotates rows [count, heads, head_dim] at positions 0, 1, ...
inline void reference_rotary(const ModelConfig& c, std::size_t heads, Numbers& x) {
  const std::size_t dim = c.block.head_dim;
  for (std::size_t start = 0; start < x.size(); start += dim) {
    const auto position = static_cast<double>(start / (heads * dim));
    for (std::size_t i = 0; i < dim / 2; ++i) {
      const bool halves = c.rotary_layout == RotaryLayout::halves;
      double& a = x[start + (halves ? i : 2 * i)];
      double& b = x[start + (halves ? i + dim / 2 : 2 * i + 1)];
      const double angle =
          position * std::pow(double{c.rotary_base}, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
      const double rotated = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle);
      a = rotated;
    }
  }
}

/// Attention of rows `x` over rows `memory` of width memory_dim; `self` says that they are the same tokens.
inline Numbers reference_attention(const ModelConfig& c, const MultiHeadWeights& w, const Numbers& x,
                                   const Numbers& memory, std::size_t memory_dim, bool self) {
  const BlockConfig& b = c.block;
  const std::size_t dim = b.head_dim;
  Numbers query = reference_linear(x, b.model_dim, w.query, w.query_bias, b.heads * dim);
  Numbers key = reference_linear(memory, memory_dim, w.key, w.key_bias, b.kv_heads * dim);
  const Numbers value = reference_linear(memory, memory_dim, w.value, w.value_bias, b.kv_heads * dim);
  if (self && c.positions == Positions::rotary) {
    reference_rotary(c, b.heads, query);
    reference_rotary(c, b.kv_heads, key);
  }
  const std::size_t rows = x.size() / b.model_dim;
  const std::size_t keys = memory.size() / memory_dim;
  Numbers context(rows * b.heads * dim);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t head = 0; head < b.heads; ++head) {
      const std::size_t kv = head / (b.heads / b.kv_heads);
      const std::size_t visible = self && !c.encoder ? row + 1 : keys;
      Numbers weight(visible);
      double sum = 0.0;
      for (std::size_t k = 0; k < visible; ++k) {
        double score = 0.0;
        for (std::size_t d = 0; d < dim; ++d) {
          score += query[(row * b.heads + head) * dim + d] * key[(k * b.kv_heads + kv) * dim + d];
        }
        weight[k] = std::exp(score / std::sqrt(static_cast<double>(dim)));
        sum += weight[k];
      }
      for (std::size_t k = 0; k < visible; ++k) {
        for (std::size_t d = 0; d < dim; ++d) {
          context[(row * b.heads + head) * dim + d] += weight[k] / sum * value[(k * b.kv_heads + kv) * dim + d];
        }
      }
    }
  }
  return reference_linear(context, b.heads * dim, w.output, w.output_bias, b.model_dim);
}

inline Numbers reference_mlp(const BlockConfig& c, const BlockWeights& w, const Numbers& x) {
  Numbers hidden = reference_linear(x, c.model_dim, w.up, w.up_bias, c.mlp_dim);
  const Numbers gate = c.gated ? reference_linear(x, c.model_dim, w.gate, w.gate_bias, c.mlp_dim) : Numbers{};
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    hidden[i] = c.gated ? reference_activation(c.activation, gate[i]) * hidden[i]
                        : reference_activation(c.activation, hidden[i]);
  }
  return reference_linear(hidden, c.mlp_dim, w.down, w.down_bias, c.model_dim);
}

/// One branch of a block with its norm and its residual.
template <class Branch>
void reference_branch(const BlockConfig& c, const NormWeights& norm, Numbers& x, const Branch& branch) {
  const bool before = c.norm_placement == NormPlacement::before;
  const Numbers added = branch(before ? reference_norm(c, norm, x) : x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += added[i];
  if (!before) x = reference_norm(c, norm, x);
}

inline void reference_block(const ModelConfig& c, const BlockWeights& w, const Numbers& memory, Numbers& x) {
  const BlockConfig& b = c.block;
  reference_branch(b, w.attention_norm, x,
                   [&](const Numbers& in) { return reference_attention(c, w.attention, in, in, b.model_dim, true); });
  if (b.cross_dim != 0) {
    reference_branch(b, w.cross_norm, x, [&](const Numbers& in) {
      return reference_attention(c, w.cross, in, memory, b.cross_dim, false);
    });
  }
  reference_branch(b, w.mlp_norm, x, [&](const Numbers& in) { return reference_mlp(b, w, in); });
}

}  // namespace heed::test
