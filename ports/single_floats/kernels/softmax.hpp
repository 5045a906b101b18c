// SPDX-License-Identifier: MIT
//
// The softmax of one key block on single floats, in the order of the shared kernel: sixteen sums, key mod 16, folded by
// port::sum's tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/fold_sixteen.hpp>
#include <detail/join_maxima.hpp>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Scores `stride` floats apart become weights; returns their sum.
[[gnu::noinline]] inline float weigh_scores(float* scores, std::ptrdiff_t stride, KeyRange keys,
                                            float maximum) noexcept {
  float totals[panel_width];
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(panel_width) * stride;
  std::uint32_t lane = keys.begin % panel_width;
  float* first = scores + static_cast<std::ptrdiff_t>(keys.begin) * stride;
  // A sixteenth of it, rounded down, is what is left for a lane.
  std::uint32_t left = keys.end - keys.begin + panel_width - 1;
  for (std::uint32_t end = panel_width;; end = keys.begin % panel_width) {
    for (float* total = totals + lane; total != totals + end; ++total, first += stride, --left) {
      *total = exp2_of_differences(first, step, left / panel_width, maximum);
    }
    if (end != panel_width || keys.begin % panel_width == 0) break;
    lane = 0;
  }
  return fold_sixteen(totals);
}

/// Keys in the lanes: scores [keys], one row. The panels that `seen` touches are written; `seen` is not empty.
inline void softmax_row(float* scores, KeyRange seen, float& maximum, float& sum) noexcept {
  constexpr std::uint32_t at_once = port::unrolled;
  float greatest = lowest;
  const float* score = scores + seen.begin;
  std::uint32_t left = seen.end - seen.begin;
  for (; left >= at_once; left -= at_once, score += at_once) {
#pragma GCC unroll port::unrolled
    for (std::uint32_t i = 0; i < at_once; ++i) greatest = greatest > score[i] ? greatest : score[i];
  }
  for (; left != 0; --left, ++score) greatest = greatest > *score ? greatest : *score;
  maximum = greatest;
  sum = weigh_scores(scores, 1, seen, maximum);
  for (std::uint32_t key = seen.begin; key % panel_width != 0;) scores[--key] = 0.0F;
  for (std::uint32_t key = seen.end; key % panel_width != 0; ++key) scores[key] = 0.0F;
}

/// The greatest score of each query [16], for scores [keys, 16] and a range of keys.
inline void column_maxima(const float* scores, KeyRange keys, float* maxima) noexcept {
  for (std::uint32_t lane = 0; lane < panel_width; ++lane) maxima[lane] = lowest;
  for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
    join_maxima(scores + std::size_t{key} * panel_width, maxima);
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
