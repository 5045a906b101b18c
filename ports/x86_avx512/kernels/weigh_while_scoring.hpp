// SPDX-License-Identifier: MIT
//
// A row's product with 64 floats of values is four chains of multiply-adds, and each waits for itself: alone they are
// slower than a near cache. Those of the next key block's scores run beside them, and are not held up while the
// greatest score of a block becomes weights. Sixteen steps of both are written out: at the end of a shorter loop the
// CPU guesses wrong, and reads nothing ahead until it knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/few_rows.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// More rows have chains enough, and no registers for twice as many.
inline constexpr std::uint32_t rows_weighed_while_scoring = 2;

/// Four panels of keys that are being scored, from `panel` on.
template <int Rows>
struct ScoredPanels {
  const float* keys;
  const float* query;
  std::uint32_t left;  ///< of head_dim
  std::ptrdiff_t head_dim;
  RowSums<Rows, 4> sums;

  [[gnu::always_inline]] ScoredPanels(const RowPass& pass, std::uint32_t panel) noexcept
      : keys(pass.panels + std::size_t{panel} * panel_width * pass.head_dim),
        query(pass.queries),
        left(pass.head_dim),
        head_dim(static_cast<std::ptrdiff_t>(pass.head_dim)) {
    sums.clear();
  }

  [[gnu::always_inline]] void add(std::ptrdiff_t step) noexcept {
    sums.add(query + step, head_dim, keys + step * port::lanes, head_dim * port::lanes);
  }
  [[gnu::always_inline]] void go_on(std::uint32_t steps) noexcept {
    keys += std::size_t{steps} * port::lanes;
    query += steps;
    left -= steps;
  }
  [[gnu::always_inline]] void put(float* scores, std::ptrdiff_t score_row, port::f32x16* greatest) const noexcept {
    sums.put(scores, score_row);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p) greatest[r] = port::max(greatest[r], sums.of[r][p]);
    }
  }
};

template <int Rows>
[[gnu::always_inline]] inline void weigh_rows_while_scoring(const RowPass& weighed, const float* maxima, float* sums,
                                                            float* result, std::ptrdiff_t result_row,
                                                            const RowPass& scored, float* scored_maxima) noexcept {
  RowSums<Rows, 4> values;
  values.clear();
  port::f32x16 totals[std::size_t{Rows}];
  port::f32x16 greatest[std::size_t{Rows}];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    totals[r] = port::set(0.0F);
    greatest[r] = port::set(lowest);
  }
  std::uint32_t key = 0;
  std::uint32_t panel = 0;
  const std::uint32_t whole_keys = weighed.keys.end / panel_width * panel_width;
  const std::uint32_t whole_panels = scored.keys.end / panel_width;
  const float* from = weighed.values;
  for (; key < whole_keys && panel + 4 <= whole_panels; panel += 4) {
    ScoredPanels<Rows> panels(scored, panel);
    for (; key < whole_keys && panels.left >= panel_width; key += panel_width) {
      weigh_panel<Rows>(weighed.scores + key, weighed.score_row, maxima, totals);
#pragma GCC unroll 16
      for (std::uint32_t i = 0; i < panel_width; ++i, from += weighed.value_row) {
        values.add(weighed.scores + key + i, weighed.score_row, from, port::lanes);
        panels.add(i);
      }
      panels.go_on(panel_width);
    }
    for (; panels.left != 0; panels.go_on(1)) panels.add(0);
    panels.put(scored.scores + std::size_t{panel} * panel_width, scored.score_row, greatest);
  }
  add_values_from<true>(weighed, key, 0, maxima, totals, values);
  values.put(result, result_row);
  score_panels_from<Rows>(scored, panel, greatest);
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    sums[r] = port::sum(totals[r]);
    scored_maxima[r] = port::maximum(greatest[r]);
  }
}

/// As the shared header says.
[[gnu::noinline]] inline void weigh_while_scoring(const RowPass& weighed, const float* maxima, float* sums,
                                                  float* result, std::ptrdiff_t result_row, const RowPass& scored,
                                                  float* scored_maxima) noexcept {
  port::store(sums, port::set(0.0F));
  port::store(scored_maxima, port::set(lowest));
  with_few_rows<static_cast<int>(rows_weighed_while_scoring)>(weighed.rows, [&]<int Rows>() {
    weigh_rows_while_scoring<Rows>(weighed, maxima, sums, result, result_row, scored, scored_maxima);
  });
}

}  // namespace heed_own_code
}  // namespace heed::detail
