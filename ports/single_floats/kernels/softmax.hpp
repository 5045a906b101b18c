// SPDX-License-Identifier: MIT
//
// The softmax of one key block on single floats, in the order of the shared kernel: sixteen sums, key mod 16, folded by
// port::sum's tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/sum_of_sixteen.hpp>
#include <kernels/exp2.hpp>
#include <port.hpp>
#include <single_floats/detail/greatest.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Scores of the keys [begin, end), `stride` floats apart, become weights; returns their sum.
[[gnu::noinline]] inline float weigh_scores(float* scores, std::ptrdiff_t stride, std::uint32_t begin,
                                            std::uint32_t end, float maximum) noexcept {
  float totals[panel_width];
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(panel_width) * stride;
  std::uint32_t lane = begin % panel_width;
  float* first = scores + static_cast<std::ptrdiff_t>(begin) * stride;
  // A sixteenth of it, rounded down, is what is left for a lane.
  std::uint32_t left = end - begin + panel_width - 1;
  for (std::uint32_t last = panel_width;; last = begin % panel_width) {
    for (float* total = totals + lane; total != totals + last; ++total, first += stride, --left) {
      *total = exp2_of_differences(first, step, left / panel_width, maximum);
    }
    if (last != panel_width || begin % panel_width == 0) break;
    lane = 0;
  }
  return sum_of_sixteen(totals);
}

inline constexpr bool softmax_by_rows = true;

/// One row, of scores that are 1 or 16 floats apart. Those in `seen`, which is not empty, are read and written.
inline void softmax_row(float* scores, std::ptrdiff_t stride, KeyRange seen, float& maximum, float& sum) noexcept {
  const float* const first = scores + static_cast<std::ptrdiff_t>(seen.begin) * stride;
  const std::uint32_t count = seen.end - seen.begin;
  if (port::unrolled == 1) {
    maximum = greatest_of(first, stride, count);
  } else {
    maximum = stride == 1 ? greatest_of(first, 1, count) : greatest_of(first, panel_width, count);
  }
  sum = weigh_scores(scores, stride, seen.begin, seen.end, maximum);
}

}  // namespace heed::detail
