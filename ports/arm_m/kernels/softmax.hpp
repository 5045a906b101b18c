// SPDX-License-Identifier: MIT
//
// The softmax of one key block on single floats, in the order of the shared kernel: sixteen sums, key mod 16, folded by
// port::sum's tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "../detail/join_maxima.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The sum of sixteen floats, folded as port::sum does it: lane l and l + 8, then l + 4, l + 2, l + 1.
inline float fold_sixteen(const float* totals) noexcept {
  float sum;
  asm("vldmia %[totals], {s0-s15}\n"
      "vadd.f32 s0, s0, s8\n"
      "vadd.f32 s4, s4, s12\n"
      "vadd.f32 s0, s0, s4\n"
      "vadd.f32 s2, s2, s10\n"
      "vadd.f32 s6, s6, s14\n"
      "vadd.f32 s2, s2, s6\n"
      "vadd.f32 s1, s1, s9\n"
      "vadd.f32 s5, s5, s13\n"
      "vadd.f32 s1, s1, s5\n"
      "vadd.f32 s3, s3, s11\n"
      "vadd.f32 s7, s7, s15\n"
      "vadd.f32 s3, s3, s7\n"
      "vadd.f32 s0, s0, s2\n"
      "vadd.f32 s1, s1, s3\n"
      "vadd.f32 %[sum], s0, s1\n"
      : [sum] "=t"(sum)
      : [totals] "r"(totals), "m"(*reinterpret_cast<const float(*)[panel_width]>(totals))
      : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15");
  return sum;
}

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
