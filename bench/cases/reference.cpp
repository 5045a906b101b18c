// SPDX-License-Identifier: MIT
#include "cases/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cases/data.hpp"

namespace heed::bench {
namespace {

constexpr double unit = 0x1p-24;

void compare(double expected, double bound, float actual, const std::string& what) {
  if (std::abs(actual - expected) <= bound) return;
  fail(what + " is wrong: " + std::to_string(actual) + " where " + std::to_string(expected) + " is expected");
}

struct Score {
  double value;
  double bound;
};

[[nodiscard]] Score score(const AttentionRow& row, std::uint32_t key) {
  double dot = 0;
  double absolute = 0;
  for (std::uint32_t d = 0; d < row.head_dim; ++d) {
    const double term = static_cast<double>(row.query[d]) * row.keys.row(key)[d];
    dot += term;
    absolute += std::abs(term);
  }
  const double scale = 1.0 / std::sqrt(static_cast<double>(row.head_dim));
  Score result{scale * dot, unit * (row.head_dim + 5.0) * scale * absolute};
  if (row.softcap != 0) {
    result.value = row.softcap * std::tanh(result.value / row.softcap);
    result.bound += 8 * unit * std::abs(result.value);
  }
  if (row.added != nullptr) {
    result.value += row.added[key];
    if (std::isfinite(row.added[key])) result.bound += 4 * unit * (std::abs(row.added[key]) + std::abs(result.value));
  }
  return result;
}

}  // namespace

void check_attention_row(const AttentionRow& row, const float* output, const std::string& what) {
  std::vector<Score> scores;
  double greatest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t key = 0; key < row.count; ++key) {
    scores.push_back(score(row, key));
    greatest = std::max(greatest, scores.back().value);
  }
  greatest = std::max(greatest, row.sink);
  double sum = std::exp(row.sink - greatest);
  for (const Score& s : scores) sum += std::exp(s.value - greatest);
  double mean_bound = 0;
  for (Score& s : scores) {
    if (std::isfinite(s.value)) s.bound += unit * (3.0 * std::abs(s.value - greatest) + 2.0);
    s.value = std::exp(s.value - greatest) / sum;
    mean_bound += s.value * s.bound;
  }
  const double chains = 2 * unit * (row.count + 24.0);  // of the weights' sum and of the output, with their factors
  for (std::uint32_t d = 0; d < row.value_dim; ++d) {
    double expected = 0;
    double bound = 0x1p-120;
    for (std::uint32_t key = 0; key < row.count; ++key) {
      const double value = row.values.row(key)[d];
      expected += scores[key].value * value;
      bound += std::abs(value) * scores[key].value * (scores[key].bound + mean_bound + chains);
    }
    compare(expected, bound, output[d], what);
  }
}

void check_projected_row(const float* x, RowsView weight, const float* bias, std::uint32_t inputs,
                         std::uint32_t outputs, const float* output, const std::string& what, double rounding) {
  for (std::uint32_t o = 0; o < outputs; ++o) {
    double expected = bias != nullptr ? bias[o] : 0.0;
    double absolute = std::abs(expected);
    double rounded = 0.0;
    for (std::uint32_t i = 0; i < inputs; ++i) {
      const double term = static_cast<double>(x[i]) * weight.row(o)[i];
      expected += term;
      absolute += std::abs(term);
      rounded += rounding * std::abs(weight.row(o)[i]);
    }
    compare(expected, unit * (inputs + 1.0) * absolute + rounded, output[o], what);
  }
}

}  // namespace heed::bench
