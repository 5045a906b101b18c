// SPDX-License-Identifier: MIT
//
// The double-precision twin of attend() with options: rules and terms are functions of (batch, head, query, key).
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "support/reference.hpp"

namespace heed::test {

using Rule = std::function<bool(std::size_t, std::size_t, std::size_t, std::size_t)>;
using Term = std::function<double(std::size_t, std::size_t, std::size_t, std::size_t)>;

/// Dense tensors, heads first.
struct TwinCase {
  AttentionShape shape;
  std::vector<float> query, key, value;
  double scale = 0.0;  ///< 0: 1 / sqrt(head_dim)
  double softcap = 0.0;
  Rule seen = [](auto...) { return true; };
  Term before_cap = [](auto...) { return 0.0; };
  Term bias = [](auto...) { return 0.0; };
  std::vector<double> sinks{};  ///< [heads], or empty
};

struct TwinResult {
  std::vector<double> output;                        ///< [batch, heads, queries, value_dim]
  std::vector<double> raw, capped, biased, weights;  ///< [batch, heads, queries, keys]
  std::vector<double> log_sum_exp;                   ///< [batch, heads, queries]
};

/// One query row: appends to every vector of the result.
inline void twin_row(const TwinCase& c, std::size_t b, std::size_t h, std::size_t i, TwinResult& result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const AttentionShape& s = c.shape;
  const double scale = c.scale != 0.0 ? c.scale : 1.0 / std::sqrt(static_cast<double>(s.head_dim));
  const std::size_t kv = b * s.kv_heads + h / (s.heads / s.kv_heads);
  const float* query = &c.query[((b * s.heads + h) * s.queries + i) * s.head_dim];
  std::vector<double> scores;
  double greatest = -infinity;
  for (std::size_t j = 0; j < s.keys; ++j) {
    const float* key = &c.key[(kv * s.keys + j) * s.head_dim];
    double score = 0.0;
    for (std::size_t d = 0; d < s.head_dim; ++d) score += scale * static_cast<double>(query[d]) * key[d];
    result.raw.push_back(score);
    score += c.before_cap(b, h, i, j);
    if (c.softcap != 0.0) score = c.softcap * std::tanh(score / c.softcap);
    result.capped.push_back(score);
    score = c.seen(b, h, i, j) ? score + c.bias(b, h, i, j) : -infinity;
    result.biased.push_back(score);
    scores.push_back(score);
    greatest = std::max(greatest, score);
  }
  const bool empty = greatest == -infinity;
  double sum = 0.0;
  for (double& score : scores) {
    score = empty ? 0.0 : std::exp(score - greatest);
    sum += score;
  }
  result.log_sum_exp.push_back(empty ? -infinity : greatest + std::log(sum));
  if (!c.sinks.empty() && !empty) sum += std::exp(c.sinks[h] - greatest);
  std::vector<double> output(s.value_dim, 0.0);
  for (std::size_t j = 0; j < s.keys; ++j) {
    const double weight = empty ? 0.0 : scores[j] / sum;
    result.weights.push_back(weight);
    if (weight == 0.0) continue;
    for (std::size_t d = 0; d < s.value_dim; ++d) output[d] += weight * c.value[(kv * s.keys + j) * s.value_dim + d];
  }
  result.output.insert(result.output.end(), output.begin(), output.end());
}

inline TwinResult option_twin(const TwinCase& c) {
  TwinResult result;
  for (std::size_t b = 0; b < c.shape.batch; ++b) {
    for (std::size_t h = 0; h < c.shape.heads; ++h) {
      for (std::size_t i = 0; i < c.shape.queries; ++i) twin_row(c, b, h, i, result);
    }
  }
  return result;
}

}  // namespace heed::test
