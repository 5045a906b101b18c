// SPDX-License-Identifier: MIT
//
// The double-precision twin of the runtime: naive, and with an error bound for every number that it gives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heed/attention.hpp"

namespace heed::test {

struct AttentionShape {
  std::uint32_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, head_dim = 1, value_dim = 1;
};

/// Dense tensors, heads first.
struct AttentionCase {
  AttentionShape shape;
  std::vector<float> query, key, value;
  std::vector<std::uint32_t> lengths;  ///< empty: all keys
  Causal causal = Causal::none;
  std::int32_t offset = 0;
  float scale = 0.0F;

  [[nodiscard]] std::uint32_t length(std::uint32_t batch) const {
    return lengths.empty() ? shape.keys : lengths[batch];
  }

  [[nodiscard]] bool visible(std::uint32_t batch, std::uint32_t query_row, std::uint32_t key_row) const {
    if (key_row >= length(batch)) return false;
    const std::int64_t row = query_row;
    switch (causal) {
      case Causal::none: return true;
      case Causal::top_left: return key_row <= row;
      case Causal::bottom_right: return key_row <= row + length(batch) - shape.queries;
      case Causal::offset: return key_row <= row + offset;
    }
    return false;
  }
};

struct Expected {
  std::vector<double> output, output_bound;  ///< [batch, heads, queries, value_dim]
  std::vector<double> scores, score_bound;   ///< [batch, heads, queries, keys], raw
  std::vector<double> weights, weight_bound;
  std::vector<double> log_sum_exp, log_sum_exp_bound;  ///< [batch, heads, queries]
};

/// Rounding bounds to first order with u = 2^-24: a chain of n fused multiply-adds is off by at most n u sum |terms|
/// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
inline Expected reference_attention(const AttentionCase& c) {
  constexpr double u = 0x1p-24;
  const AttentionShape& s = c.shape;
  const double scale =
      c.scale != 0.0F ? static_cast<double>(c.scale) : 1.0 / std::sqrt(static_cast<double>(s.head_dim));
  const std::uint32_t group = s.heads / s.kv_heads;
  Expected expected;
  std::vector<double> score(s.keys), off(s.keys), weight(s.keys);
  for (std::uint32_t b = 0; b < s.batch; ++b) {
    for (std::uint32_t h = 0; h < s.heads; ++h) {
      const std::size_t kv = std::size_t{b} * s.kv_heads + h / group;
      for (std::uint32_t i = 0; i < s.queries; ++i) {
        const float* q = &c.query[((std::size_t{b} * s.heads + h) * s.queries + i) * s.head_dim];
        double greatest = -std::numeric_limits<double>::infinity();
        std::uint32_t visible = 0;
        for (std::uint32_t j = 0; j < s.keys; ++j) {
          const float* k = &c.key[(kv * s.keys + j) * s.head_dim];
          double dot = 0, absolute = 0;
          for (std::uint32_t d = 0; d < s.head_dim; ++d) {
            dot += double{q[d]} * k[d];
            absolute += std::abs(double{q[d]} * k[d]);
          }
          score[j] = scale * dot;
          // The chain, and the rounding of scale, of log2(e) times it, and of each scaled query element.
          off[j] = u * (s.head_dim + 5.0) * std::abs(scale) * absolute;
          expected.scores.push_back(score[j]);
          expected.score_bound.push_back(off[j] + u * (2.0 * std::abs(score[j])) + 0x1p-140);
          if (!c.visible(b, i, j)) continue;
          ++visible;
          greatest = std::max(greatest, score[j]);
        }
        double sum = 0, mean_off = 0;
        for (std::uint32_t j = 0; j < s.keys; ++j) {
          weight[j] = c.visible(b, i, j) ? std::exp(score[j] - greatest) : 0.0;
          sum += weight[j];
        }
        const double add_up = u * (s.keys + 24.0);  // sums, block factors, exp2, division
        for (std::uint32_t j = 0; j < s.keys; ++j) {
          weight[j] = visible != 0 ? weight[j] / sum : 0.0;
          if (c.visible(b, i, j)) off[j] += u * (3.0 * std::abs(score[j] - greatest) + 2.0);
          if (weight[j] > 0) mean_off += weight[j] * off[j];
        }
        const double tiny = 0x1p-120;  // weights below the cutoff are dropped
        for (std::uint32_t j = 0; j < s.keys; ++j) {
          expected.weights.push_back(weight[j]);
          expected.weight_bound.push_back(weight[j] * (off[j] + mean_off + add_up) + (weight[j] > 0 ? tiny : 0.0));
        }
        for (std::uint32_t d = 0; d < s.value_dim; ++d) {
          double out = 0, bound = 0;
          for (std::uint32_t j = 0; j < s.keys; ++j) {
            if (weight[j] == 0) continue;
            const double v = c.value[(kv * s.keys + j) * s.value_dim + d];
            out += weight[j] * v;
            bound += std::abs(v) * (weight[j] * (off[j] + mean_off + 2 * add_up) + tiny);
          }
          expected.output.push_back(out);
          expected.output_bound.push_back(bound);
        }
        expected.log_sum_exp.push_back(visible != 0 ? greatest + std::log(sum)
                                                    : -std::numeric_limits<double>::infinity());
        expected.log_sum_exp_bound.push_back(visible != 0 ? mean_off + add_up + u * (6.0 * std::abs(greatest) + 4.0)
                                                          : 0.0);
      }
    }
  }
  return expected;
}

}  // namespace heed::test
