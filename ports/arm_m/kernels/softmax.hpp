// SPDX-License-Identifier: MIT
//
// The softmax of one key block on single floats, in the order of the shared kernel: sixteen sums, key mod 16, folded by
// port::sum's tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/exp2.hpp>
#include <kernels/key_range.hpp>

#include "heed/layout.hpp"

namespace heed::detail {

/// The greatest of the scores in a range, `stride` floats apart.
inline float greatest_score(const float* scores, std::size_t stride, KeyRange keys) noexcept {
  float greatest = lowest;
  for (std::size_t key = keys.begin; key < keys.end; ++key) {
    const float score = scores[key * stride];
    greatest = greatest > score ? greatest : score;
  }
  return greatest;
}

/// Scores `stride` floats apart become weights; returns their sum.
inline float weigh_scores(float* scores, std::size_t stride, KeyRange keys, float maximum) noexcept {
  float totals[panel_width];
  for (std::uint32_t i = 0; i < panel_width; ++i) {
    float total = 0.0F;
    for (std::size_t key = keys.begin + i; key < keys.end; key += panel_width) {
      const float weight = lane_exp2(scores[key * stride] - maximum);
      scores[key * stride] = weight;
      total += weight;
    }
    totals[(keys.begin + i) % panel_width] = total;
  }
  for (std::uint32_t width = panel_width / 2; width > 0; width /= 2) {
    for (std::uint32_t i = 0; i < width; ++i) totals[i] += totals[i + width];
  }
  return totals[0];
}

/// Keys in the lanes: scores [keys], one row. The panels that `seen` touches are written; `seen` is not empty.
inline void softmax_row(float* scores, KeyRange seen, float& maximum, float& sum) noexcept {
  maximum = greatest_score(scores, 1, seen);
  sum = weigh_scores(scores, 1, seen, maximum);
  for (std::uint32_t key = seen.begin / panel_width * panel_width; key < seen.begin; ++key) scores[key] = 0.0F;
  for (std::uint32_t key = seen.end; key < round_up(seen.end, panel_width); ++key) scores[key] = 0.0F;
}

/// The greatest score of each query [16], for scores [keys, 16] and a range of keys.
inline void column_maxima(const float* scores, KeyRange keys, float* maxima) noexcept {
  for (std::uint32_t lane = 0; lane < panel_width; ++lane) {
    maxima[lane] = greatest_score(scores + lane, panel_width, keys);
  }
}

/// Queries in the lanes: scores [keys, 16] over a range of keys, with their maxima [16]. What a query does not see is
/// -inf already.
inline void softmax_columns(float* scores, KeyRange keys, const float* maxima, float*, float* sums) noexcept {
  for (std::uint32_t lane = 0; lane < panel_width; ++lane) {
    sums[lane] = weigh_scores(scores + lane, panel_width, keys, maxima[lane]);
  }
}

}  // namespace heed::detail
