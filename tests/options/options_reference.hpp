// SPDX-License-Identifier: MIT
//
// The double-precision twin of attend() with options: naive, and with an error bound for every number that it gives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "options/options_case.hpp"

namespace heed::test {

struct OptionsExpected {
  std::vector<double> output, output_bound;            ///< [batch, heads, queries, value_dim]
  std::vector<double> scores[4], score_bound[4];       ///< by ScoreStage, [batch, heads, queries, keys]
  std::vector<double> log_sum_exp, log_sum_exp_bound;  ///< [batch, heads, queries], without the sink
};

namespace reference {

inline constexpr double u = 0x1p-24;

/// A number, and how far the runtime's may be off.
struct Bounded {
  double value = 0, off = 0;
};

/// scale * (query . key): a chain of head_dim fused multiply-adds, and the rounding of scale, of log2(e) times it, and
/// of each scaled query element.
inline Bounded raw_score(const OptionsCase& c, std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j) {
  const AttentionShape& s = c.base.shape;
  const double scale =
      c.base.scale != 0.0F ? static_cast<double>(c.base.scale) : 1.0 / std::sqrt(static_cast<double>(s.head_dim));
  const std::size_t kv = std::size_t{b} * s.kv_heads + h / (s.heads / s.kv_heads);
  const float* q = &c.base.query[((std::size_t{b} * s.heads + h) * s.queries + i) * s.head_dim];
  const float* k = &c.base.key[(kv * s.keys + j) * s.head_dim];
  double dot = 0, absolute = 0;
  for (std::uint32_t d = 0; d < s.head_dim; ++d) {
    dot += double{q[d]} * k[d];
    absolute += std::abs(double{q[d]} * k[d]);
  }
  return {scale * dot, u * (s.head_dim + 5.0) * std::abs(scale) * absolute};
}

/// After the pre-cap bias and the soft cap. A bias is rounded when it is multiplied by log2(e), itself rounded, and
/// once when it is added. The cap: score / cap is off by the rounding of the cap's multiple of log2(e), its reciprocal
/// and a product; tanh is within 3.5 units in the last place, that is 7 u, and after it come the cap and a product.
/// tanh'(t) = 1 - tanh(t)^2 decreases with |t|, so the smallest |t| possible bounds what an error becomes.
inline Bounded capped_score(const OptionsCase& c, std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j,
                            Bounded score) {
  if (!c.pre_softcap_bias.empty() && j < c.pre_softcap_bias.keys) {
    const double bias = c.pre_softcap_bias.at(b, h, i, j);
    score.value += bias;
    score.off += u * (2.0 * std::abs(bias) + std::abs(score.value));
  }
  if (c.softcap == 0.0F) return score;
  const double cap = c.softcap;
  const double t = score.value / cap;
  const double off = score.off / cap + 5.0 * u * std::abs(t);
  const double nearest = std::tanh(std::max(0.0, std::abs(t) - off));
  const double capped = std::tanh(t);
  return {cap * capped, cap * ((1.0 - nearest * nearest) * off + 11.0 * u * std::abs(capped))};
}

/// After mask, ALiBi and relative bias, added in any order; ALiBi has one product more.
inline Bounded biased_score(const OptionsCase& c, std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j,
                            Bounded score) {
  double sum = score.value, absolute = std::abs(score.value), products = 0;
  int terms = 0;
  const auto add = [&](double bias, double roundings) {
    sum += bias;
    absolute += std::abs(bias);
    products += roundings * std::abs(bias);
    ++terms;
  };
  if (!c.mask.empty()) add(c.mask.at(b, h, i, j), 2);
  if (!c.slopes.empty()) add(-double{c.slopes[h]} * c.distance(b, i, j), 4);
  if (!c.relative.empty()) add(c.relative_bias(b, h, i, j), 2);
  return {sum, score.off + u * (products + terms * absolute)};
}

struct Row {
  std::vector<bool> seen;
  std::vector<Bounded> score;  ///< biased, of the keys seen
  double greatest = -std::numeric_limits<double>::infinity();
};

inline Row row_of(const OptionsCase& c, std::uint32_t b, std::uint32_t h, std::uint32_t i, OptionsExpected& expected) {
  Row row;
  const auto give = [&expected](ScoreStage stage, const Bounded& score) {
    expected.scores[static_cast<int>(stage)].push_back(score.value);
    expected.score_bound[static_cast<int>(stage)].push_back(score.off + 2.0 * u * std::abs(score.value) + 0x1p-140);
  };
  for (std::uint32_t j = 0; j < c.base.shape.keys; ++j) {
    const Bounded raw = raw_score(c, b, h, i, j);
    const Bounded capped = capped_score(c, b, h, i, j, raw);
    give(ScoreStage::raw, raw);
    give(ScoreStage::softcapped, capped);
    row.seen.push_back(c.seen(b, h, i, j));
    row.score.push_back(row.seen.back() ? biased_score(c, b, h, i, j, capped) : Bounded{});
    if (row.seen.back()) {
      give(ScoreStage::masked, row.score.back());
      row.greatest = std::max(row.greatest, row.score.back().value);
    } else {
      expected.scores[static_cast<int>(ScoreStage::masked)].push_back(-std::numeric_limits<double>::infinity());
      expected.score_bound[static_cast<int>(ScoreStage::masked)].push_back(0.0);
    }
  }
  return row;
}

/// The softmax of a row: weights with bounds, and the log-sum-exp. An error of x in a score is a factor of exp(x), and
/// the sum of the weights is off by at most the mean of those factors.
inline std::vector<Bounded> weights_of(const OptionsCase& c, std::uint32_t h, const Row& row,
                                       OptionsExpected& expected) {
  constexpr double tiny = 0x1p-120;  // weights below the cutoff are dropped
  const std::size_t keys = row.seen.size();
  const double add_up = u * (static_cast<double>(keys) + 24.0);  // sums, block factors, exp2, division
  std::vector<Bounded> weights(keys);
  double sum = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    if (row.seen[j]) sum += std::exp(row.score[j].value - row.greatest);
  }
  const bool none = std::isinf(row.greatest);
  double factors = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    if (!row.seen[j]) continue;
    const double gap = row.score[j].value - row.greatest;
    weights[j] = {std::exp(gap) / sum, row.score[j].off + u * (3.0 * std::abs(gap) + 2.0)};
    if (weights[j].value > 0) factors += weights[j].value * std::expm1(weights[j].off);
  }
  const double mean_off = std::log1p(factors);
  const double log_sum_exp = row.greatest + std::log(sum);
  expected.log_sum_exp.push_back(none ? row.greatest : log_sum_exp);
  expected.log_sum_exp_bound.push_back(none ? 0.0 : mean_off + add_up + u * (6.0 * std::abs(row.greatest) + 4.0));

  // The sink multiplies every weight by 1 / (1 + exp(sink - log_sum_exp)), whichever of the two the runtime shifts by.
  const double sink = c.sink(h);
  const bool has_sink = std::isfinite(sink) && !none;
  const double share = has_sink ? 1.0 / (1.0 + std::exp(sink - log_sum_exp)) : 1.0;
  const double sink_off = has_sink ? u * (3.0 * std::abs(sink) + 6.0 * std::abs(sink - row.greatest) + 12.0) : 0.0;
  for (std::size_t j = 0; j < keys; ++j) {
    Bounded& weight = weights[j];
    const double off = weight.off + mean_off + sink_off + 2.0 * add_up;
    weight.value *= share;
    weight.off = (row.seen[j] ? tiny : 0.0) + (weight.value > 0 ? weight.value * std::expm1(off) : 0.0);
    expected.scores[static_cast<int>(ScoreStage::weights)].push_back(weight.value);
    expected.score_bound[static_cast<int>(ScoreStage::weights)].push_back(weight.off);
  }
  return weights;
}

}  // namespace reference

/// Rounding bounds with u = 2^-24, to first order but for the exponentials: a chain of n fused multiply-adds is off by
/// at most n u sum |terms| (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
inline OptionsExpected reference_attention(const OptionsCase& c) {
  const AttentionShape& s = c.base.shape;
  OptionsExpected expected;
  for (std::uint32_t b = 0; b < s.batch; ++b) {
    for (std::uint32_t h = 0; h < s.heads; ++h) {
      const std::size_t kv = std::size_t{b} * s.kv_heads + h / (s.heads / s.kv_heads);
      for (std::uint32_t i = 0; i < s.queries; ++i) {
        const reference::Row row = reference::row_of(c, b, h, i, expected);
        const std::vector<reference::Bounded> weights = reference::weights_of(c, h, row, expected);
        for (std::uint32_t d = 0; d < s.value_dim; ++d) {
          double out = 0, bound = 0;
          for (std::uint32_t j = 0; j < s.keys; ++j) {
            if (!row.seen[j]) continue;
            const double v = c.base.value[(kv * s.keys + j) * s.value_dim + d];
            out += weights[j].value * v;
            bound += std::abs(v) * weights[j].off;
          }
          expected.output.push_back(out);
          expected.output_bound.push_back(bound);
        }
      }
    }
  }
  return expected;
}

}  // namespace heed::test
