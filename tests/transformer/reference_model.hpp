// SPDX-License-Identifier: MIT
//
// The double-precision twin of a transformer block: naive, all rows at once.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/model.hpp"
#include "positions/rotary_reference.hpp"

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

/// Over rows of model_dim numbers, unless `dim` says otherwise.
inline Numbers reference_norm(const BlockConfig& c, const NormWeights& weights, Numbers x, std::size_t dim = 0) {
  if (dim == 0) dim = c.model_dim;
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

/// Which block of a model, and what all of them share: [heads, relative_buckets].
struct BlockPlace {
  std::uint32_t number = 0;
  const float* relative_bias = nullptr;
};

[[nodiscard]] inline bool reference_has_window(const ModelConfig& c, std::uint32_t block) {
  return c.window != 0 && (c.full_every == 0 || (block + 1) % c.full_every != 0);
}

/// Rotates rows [count, heads, head_dim] at positions 0, 1, ... as a block does.
inline void reference_rotary(const ModelConfig& c, std::size_t heads, std::uint32_t block, Numbers& x) {
  if (c.rotary_skip_every != 0 && (block + 1) % c.rotary_skip_every == 0) return;
  const bool local = c.local_rotary_base != 0.0F && reference_has_window(c, block);
  RotaryPlan plan;
  EXPECT_EQ(
      make_plan(local ? detail::local_rotary_config(c, c.block.head_dim) : detail::rotary_config(c, c.block.head_dim),
                plan),
      Status::ok);
  const std::vector<long double> frequencies = reference_frequencies(plan.config);
  const double factor = plan.config.attention_factor;
  const std::size_t dim = c.block.head_dim;
  for (std::size_t start = 0; start < x.size(); start += dim) {
    const auto position = static_cast<double>(start / (heads * dim));
    for (std::uint32_t i = 0; i < frequencies.size(); ++i) {
      const Columns columns = columns_of(plan.config, i);
      double& a = x[start + columns.first];
      double& b = x[start + columns.second];
      const double angle = position * static_cast<double>(frequencies[i]);
      const double rotated = factor * (a * std::cos(angle) - b * std::sin(angle));
      b = factor * (b * std::cos(angle) + a * std::sin(angle));
      a = rotated;
    }
  }
}

/// T5's bucket of a key that is `distance` after its query, as in Hugging Face's modeling_t5.py; but where its
/// logarithm is a whole number, that number.
[[nodiscard]] inline std::uint32_t reference_bucket(const ModelConfig& c, std::int64_t distance) {
  std::uint32_t buckets = c.relative_buckets;
  std::uint32_t first = 0;
  if (c.encoder) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    distance = std::abs(distance);
  } else {
    distance = std::max<std::int64_t>(-distance, 0);
  }
  const std::uint32_t exact = buckets / 2;
  if (distance < exact) return first + static_cast<std::uint32_t>(distance);
  const double steps = std::log(static_cast<double>(distance) / exact) /
                       std::log(static_cast<double>(c.relative_distance) / exact) * (buckets - exact);
  return first + std::min(buckets - 1, exact + static_cast<std::uint32_t>(steps + 1e-11));
}

/// The weights [heads, rows, keys] of rows `x` over rows `memory` of width memory_dim, 0 where a row does not see the
/// key; `self`, which is null for others, says that they are the same tokens, and has the norms of their heads.
inline Numbers reference_weights(const ModelConfig& c, const MultiHeadWeights& w, const Numbers& x,
                                 const Numbers& memory, std::size_t memory_dim, const BlockWeights* self,
                                 const BlockPlace& place) {
  const BlockConfig& b = c.block;
  const std::size_t dim = b.head_dim;
  Numbers query = reference_linear(x, b.model_dim, w.query, w.query_bias, b.heads * dim);
  Numbers key = reference_linear(memory, memory_dim, w.key, w.key_bias, b.kv_heads * dim);
  if (self != nullptr && b.qk_norm == QkNorm::heads) {
    query = reference_norm(b, self->query_norm, query, dim);
    key = reference_norm(b, self->key_norm, key, dim);
  }
  if (self != nullptr && c.positions == Positions::rotary) {
    reference_rotary(c, b.heads, place.number, query);
    reference_rotary(c, b.kv_heads, place.number, key);
  }
  const std::size_t rows = x.size() / b.model_dim;
  const std::size_t keys = memory.size() / memory_dim;
  const bool window = self != nullptr && reference_has_window(c, place.number);
  Numbers weights(b.heads * rows * keys);
  for (std::size_t head = 0; head < b.heads; ++head) {
    const std::size_t kv = head / (b.heads / b.kv_heads);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t visible = self != nullptr && !c.encoder ? row + 1 : keys;
      double* const weight = &weights[(head * rows + row) * keys];
      double sum = 0.0;
      for (std::size_t k = 0; k < visible; ++k) {
        if (window && k + c.window <= row) continue;
        double score = 0.0;
        for (std::size_t d = 0; d < dim; ++d) {
          score += query[(row * b.heads + head) * dim + d] * key[(k * b.kv_heads + kv) * dim + d];
        }
        score /= std::sqrt(static_cast<double>(dim));
        if (self != nullptr && b.score_softcap != 0.0F) {
          score = double{b.score_softcap} * std::tanh(score / double{b.score_softcap});
        }
        if (self != nullptr && c.relative_buckets != 0) {
          const std::uint32_t bucket =
              reference_bucket(c, static_cast<std::int64_t>(k) - static_cast<std::int64_t>(row));
          score += double{place.relative_bias[head * c.relative_buckets + bucket]};
        }
        weight[k] = std::exp(score);
        sum += weight[k];
      }
      for (std::size_t k = 0; k < visible; ++k) weight[k] /= sum;
    }
  }
  return weights;
}

/// What attention with these weights [heads, rows, keys] gives.
inline Numbers reference_weighted(const BlockConfig& b, const MultiHeadWeights& w, const Numbers& weights,
                                  const Numbers& memory, std::size_t memory_dim) {
  const std::size_t dim = b.head_dim;
  const Numbers value = reference_linear(memory, memory_dim, w.value, w.value_bias, b.kv_heads * dim);
  const std::size_t keys = memory.size() / memory_dim;
  const std::size_t rows = weights.size() / (b.heads * keys);
  Numbers context(rows * b.heads * dim);
  for (std::size_t head = 0; head < b.heads; ++head) {
    const std::size_t kv = head / (b.heads / b.kv_heads);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < keys; ++k) {
        const double weight = weights[(head * rows + row) * keys + k];
        for (std::size_t d = 0; d < dim; ++d) {
          context[(row * b.heads + head) * dim + d] += weight * value[(k * b.kv_heads + kv) * dim + d];
        }
      }
    }
  }
  return reference_linear(context, b.heads * dim, w.output, w.output_bias, b.model_dim);
}

/// Attention of rows `x` over rows `memory`, as above.
inline Numbers reference_attention(const ModelConfig& c, const MultiHeadWeights& w, const Numbers& x,
                                   const Numbers& memory, std::size_t memory_dim, const BlockWeights* self,
                                   const BlockPlace& place) {
  return reference_weighted(c.block, w, reference_weights(c, w, x, memory, memory_dim, self, place), memory,
                            memory_dim);
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

/// One branch of a block with its norms and its residual.
template <class Branch>
void reference_branch(const BlockConfig& c, const NormWeights& norm, const NormWeights& output_norm, Numbers& x,
                      const Branch& branch) {
  const bool after = c.norm_placement == NormPlacement::after;
  Numbers added = branch(after ? x : reference_norm(c, norm, x));
  if (c.norm_placement == NormPlacement::both) added = reference_norm(c, output_norm, added);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += added[i];
  if (after) x = reference_norm(c, norm, x);
}

inline void reference_block(const ModelConfig& c, const BlockWeights& w, const Numbers& memory, Numbers& x,
                            const BlockPlace& place = {}) {
  const BlockConfig& b = c.block;
  const auto attend = [&](const Numbers& in) {
    return reference_attention(c, w.attention, in, in, b.model_dim, &w, place);
  };
  if (b.norm_placement == NormPlacement::parallel) {
    const Numbers attended = attend(reference_norm(b, w.attention_norm, x));
    const Numbers transformed = reference_mlp(b, w, reference_norm(b, w.mlp_norm, x));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += attended[i] + transformed[i];
    return;
  }
  reference_branch(b, w.attention_norm, w.attention_output_norm, x, attend);
  if (b.cross_dim != 0) {
    reference_branch(b, w.cross_norm, {}, x, [&](const Numbers& in) {
      return reference_attention(c, w.cross, in, memory, b.cross_dim, nullptr, place);
    });
  }
  reference_branch(b, w.mlp_norm, w.mlp_output_norm, x, [&](const Numbers& in) { return reference_mlp(b, w, in); });
}

}  // namespace heed::test
