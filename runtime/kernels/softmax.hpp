// SPDX-License-Identifier: MIT
//
// One key block of a softmax in base 2: the scores come in multiplied by log2(e). Each row leaves its maximum over the
// keys it sees, the weights exp2(score - maximum), and their sum. The sum is kept in sixteen lanes, lane = key mod 16,
// and folded by port::sum's tree; both layouts below do this in the same order, so they give the same bits.
// `maxima` and `sums` start at lowest and 0, which is what a row that sees no key keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/column_maxima.hpp>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "common/key_range.hpp"
#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Whether softmax_row() takes the stride of its scores after them, and one row after the other is weighed whatever the
/// layout: then nothing needs the maxima and the softmax of columns.
inline constexpr bool softmax_by_rows = false;

inline constexpr float lane_numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Lanes before `begin` and from `end` on become -inf. In registers, because lanes that are stored one by one cannot be
/// loaded together before all of them have left the CPU; out of line, because few rows need it.
[[gnu::noinline]] inline void hide_lanes(float* panel, std::uint32_t begin, std::uint32_t end) noexcept {
  using namespace port;
  const f32x16 lane = load(lane_numbers);
  const f32x16 hidden = set(minus_infinity);
  const f32x16 kept = where_less(lane, set(static_cast<float>(end)), load(panel), hidden);
  store(panel, where_less(lane, set(static_cast<float>(begin)), hidden, kept));
}

/// Keys in the lanes: scores [keys], one row. The panels that `seen` touches are read and written; `seen` is not empty.
inline void softmax_row(float* scores, KeyRange seen, float& maximum, float& sum) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const auto last = static_cast<std::uint32_t>(round_up(seen.end, panel_width));
  if (seen.begin != first) hide_lanes(scores + first, seen.begin - first, panel_width);
  if (seen.end != last) hide_lanes(scores + last - panel_width, 0, seen.end + panel_width - last);

  port::f32x16 greatest = port::set(lowest);
  for (std::uint32_t key = first; key < last; key += panel_width) {
    greatest = port::max(greatest, port::load(scores + key));
  }
  maximum = port::maximum(greatest);
  const port::f32x16 shift = port::set(maximum);
  port::f32x16 total = port::set(0.0F);
  for (std::uint32_t key = first; key < last; key += panel_width) {
    const port::f32x16 weight = exp2_nonpositive(port::sub(port::load(scores + key), shift));
    port::store(scores + key, weight);
    total = port::add(total, weight);
  }
  sum = port::sum(total);
}

/// Queries in the lanes: scores [keys, 16] over a range of keys, with their maxima [16]. What a query does not see is
/// -inf already. `totals` is room for 16 x 16 floats.
inline void softmax_columns(float* scores, KeyRange keys, const float* maxima, float* totals, float* sums) noexcept {
  using namespace port;
  const f32x16 greatest = load(maxima);
  for (std::uint32_t i = 0; i < panel_width; ++i) {
    f32x16 total = set(0.0F);
    for (std::uint32_t key = keys.begin + i; key < keys.end; key += panel_width) {
      float* row = scores + std::size_t{key} * lanes;
      const f32x16 weight = exp2_nonpositive(sub(load(row), greatest));
      store(row, weight);
      total = add(total, weight);
    }
    store(totals + std::size_t{(keys.begin + i) % panel_width} * lanes, total);
  }
  for (std::uint32_t width = panel_width / 2; width > 0; width /= 2) {
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      float* to = totals + std::size_t{lane} * lanes;
      store(to, add(load(to), load(to + std::size_t{width} * lanes)));
    }
  }
  store(sums, load(totals));
}

}  // namespace heed_own_code
}  // namespace heed::detail
