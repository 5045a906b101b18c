// SPDX-License-Identifier: MIT
//
// Scores become weights sixteen keys at a time, while values are read: a CPU that executes out of order has loads of
// values in flight meanwhile. Four panels of keys, or of values, are multiplied at once, whose sums stay in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/softmax.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Rows of which four panels have their sums in registers.
constexpr std::uint32_t rows_of_four_panels(std::uint32_t rows = 1) noexcept {
  return rows < 4 && port::tile_panels(static_cast<int>(rows) + 1) == 4 ? rows_of_four_panels(rows + 1) : rows;
}
inline constexpr std::uint32_t few_rows = rows_of_four_panels();
inline constexpr bool has_few_rows = true;

template <int Rows, int Panels>
struct RowSums {
  port::f32x16 of[std::size_t{Rows}][std::size_t{Panels}];

  [[gnu::always_inline]] void clear() noexcept {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) of[r][p] = port::set(0.0F);
    }
  }

  /// Adds sixteen numbers of each panel, `apart` floats apart, times a factor for each row.
  [[gnu::always_inline]] void add(const float* factors, std::ptrdiff_t factor_row, const float* from,
                                  std::ptrdiff_t apart) noexcept {
    port::f32x16 panel[std::size_t{Panels}];
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) panel[p] = port::load(from + p * apart);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const port::f32x16 factor = port::set(factors[r * factor_row]);
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) of[r][p] = port::fma(factor, panel[p], of[r][p]);
    }
  }

  [[gnu::always_inline]] void put(float* to, std::ptrdiff_t row) const noexcept {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) port::store(to + r * row + p * port::lanes, of[r][p]);
    }
  }
};

/// The lanes of one row's panels [begin, end) that are not keys of `keys` become -inf, which no maximum is.
[[gnu::always_inline]] inline void hide_ends(float* scores, KeyRange panels, KeyRange keys) noexcept {
  const std::uint32_t begin = panels.begin * panel_width;
  const std::uint32_t end = panels.end * panel_width;
  if (keys.begin > begin) hide_lanes(scores + begin, keys.begin - begin, panel_width);
  if (keys.end < end) hide_lanes(scores + end - panel_width, 0, keys.end + panel_width - end);
}

/// Scores of `Panels` panels from `panel` on, whose greatest joins `greatest` of each row.
template <int Rows, int Panels>
[[gnu::always_inline]] inline void score_panels(const RowPass& pass, std::uint32_t panel,
                                                port::f32x16* greatest) noexcept {
  const auto head_dim = static_cast<std::ptrdiff_t>(pass.head_dim);
  const float* from = pass.panels + static_cast<std::ptrdiff_t>(panel) * head_dim * port::lanes;
  const float* query = pass.queries;
  RowSums<Rows, Panels> sums;
  sums.clear();
  for (std::uint32_t left = pass.head_dim; left != 0; --left) {
    sums.add(query, head_dim, from, head_dim * port::lanes);
    from += port::lanes;
    ++query;
  }
  float* const scores = pass.scores + std::size_t{panel} * panel_width;
  sums.put(scores, pass.score_row);
  const KeyRange panels{panel, panel + std::uint32_t{Panels}};
  const bool whole = panels.begin * panel_width >= pass.keys.begin && panels.end * panel_width <= pass.keys.end;
  if (!whole) {
    for (int r = 0; r < Rows; ++r) hide_ends(pass.scores + r * pass.score_row, panels, pass.keys);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      const port::f32x16 found = whole ? sums.of[r][p] : port::load(scores + r * pass.score_row + p * port::lanes);
      greatest[r] = port::max(greatest[r], found);
    }
  }
}

/// Scores of the panels from `panel` on.
template <int Rows>
[[gnu::always_inline]] inline void score_panels_from(const RowPass& pass, std::uint32_t panel,
                                                     port::f32x16* greatest) noexcept {
  const std::uint32_t end = (pass.keys.end + panel_width - 1) / panel_width;
  for (; panel + 4 <= end; panel += 4) score_panels<Rows, 4>(pass, panel, greatest);
  if (panel + 2 <= end) {
    score_panels<Rows, 2>(pass, panel, greatest);
    panel += 2;
  }
  if (panel < end) score_panels<Rows, 1>(pass, panel, greatest);
}

template <int Rows>
void score_rows_of(const RowPass& pass, float* maxima) noexcept {
  port::f32x16 greatest[std::size_t{Rows}];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) greatest[r] = port::set(lowest);
  score_panels_from<Rows>(pass, pass.keys.begin / panel_width, greatest);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) maxima[r] = port::maximum(greatest[r]);
}

template <int Rows>
void find_maxima_of(const RowPass& pass, float* maxima) noexcept {
  const KeyRange panels{pass.keys.begin / panel_width, (pass.keys.end + panel_width - 1) / panel_width};
  for (int r = 0; r < Rows; ++r) {
    float* const scores = pass.scores + r * pass.score_row;
    hide_ends(scores, panels, pass.keys);
    port::f32x16 greatest = port::set(lowest);
    for (std::uint32_t panel = panels.begin; panel < panels.end; ++panel) {
      greatest = port::max(greatest, port::load(scores + std::size_t{panel} * panel_width));
    }
    maxima[r] = port::maximum(greatest);
  }
}

/// Sixteen keys' weights of each row.
template <int Rows>
[[gnu::always_inline]] inline void weigh_panel(float* scores, std::ptrdiff_t score_row, const float* maxima,
                                               port::f32x16* totals) noexcept {
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    float* const at = scores + r * score_row;
    const port::f32x16 weight = exp2_nonpositive(port::sub(port::load(at), port::set(maxima[r])));
    port::store(at, weight);
    totals[r] = port::add(totals[r], weight);
  }
}

/// Adds the values of the keys from `key` on, columns from `column` on; for `Weigh` see weigh_columns().
template <bool Weigh, int Rows, int Panels>
[[gnu::always_inline]] inline void add_values_from(const RowPass& pass, std::uint32_t key, std::uint32_t column,
                                                   const float* maxima, port::f32x16* totals,
                                                   RowSums<Rows, Panels>& sums) noexcept {
  const float* from = pass.values + static_cast<std::ptrdiff_t>(key) * pass.value_row + column;
  while (key < pass.keys.end) {
    const std::uint32_t panel = key / panel_width * panel_width;
    if constexpr (Weigh) weigh_panel<Rows>(pass.scores + panel, pass.score_row, maxima, totals);
    const std::uint32_t end = least(panel + panel_width, pass.keys.end);
    for (; key < end; ++key, from += pass.value_row) {
      sums.add(pass.scores + key, pass.score_row, from, port::lanes);
    }
  }
}

/// Columns of the result from `column` on; scores become weights on the way where that has not been done.
template <int Rows, int Panels, bool Weigh>
[[gnu::always_inline]] inline void weigh_columns(const RowPass& pass, std::uint32_t column, const float* maxima,
                                                 port::f32x16* totals, float* result,
                                                 std::ptrdiff_t result_row) noexcept {
  RowSums<Rows, Panels> sums;
  sums.clear();
  add_values_from<Weigh>(pass, pass.keys.begin, column, maxima, totals, sums);
  sums.put(result + column, result_row);
}

template <int Rows>
void weigh_rows_of(const RowPass& pass, const float* maxima, float* sums, float* result,
                   std::ptrdiff_t result_row) noexcept {
  port::f32x16 totals[std::size_t{Rows}];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) totals[r] = port::set(0.0F);
  std::uint32_t column = 0;
  if (pass.value_dim >= 4 * panel_width) {
    weigh_columns<Rows, 4, true>(pass, 0, maxima, totals, result, result_row);
    for (column = 4 * panel_width; column + 4 * panel_width <= pass.value_dim; column += 4 * panel_width) {
      weigh_columns<Rows, 4, false>(pass, column, maxima, totals, result, result_row);
    }
  } else {
    weigh_columns<Rows, 1, true>(pass, 0, maxima, totals, result, result_row);
    column = panel_width;
  }
  for (; column < pass.value_dim; column += panel_width) {
    weigh_columns<Rows, 1, false>(pass, column, maxima, totals, result, result_row);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) sums[r] = port::sum(totals[r]);
}

/// Calls f.template operator()<Rows>() with the run-time value `rows`, 1..few_rows.
template <int Rows = static_cast<int>(few_rows), class Function>
[[gnu::always_inline]] inline void with_few_rows(std::uint32_t rows, Function f) noexcept {
  if constexpr (Rows == 1) {
    f.template operator()<1>();
  } else {
    if (rows == std::uint32_t{Rows}) {
      f.template operator()<Rows>();
    } else {
      with_few_rows<Rows - 1>(rows, f);
    }
  }
}

[[gnu::noinline]] inline void score_few_rows(const RowPass& pass, float* maxima) noexcept {
  port::store(maxima, port::set(lowest));
  with_few_rows(pass.rows, [&]<int Rows>() { score_rows_of<Rows>(pass, maxima); });
}

inline void find_few_maxima(const RowPass& pass, float* maxima) noexcept {
  with_few_rows(pass.rows, [&]<int Rows>() { find_maxima_of<Rows>(pass, maxima); });
}

[[gnu::noinline]] inline void weigh_few_rows(const RowPass& pass, const float* maxima, float* sums, float* result,
                                             std::ptrdiff_t result_row) noexcept {
  port::store(sums, port::set(0.0F));
  with_few_rows(pass.rows, [&]<int Rows>() { weigh_rows_of<Rows>(pass, maxima, sums, result, result_row); });
}

}  // namespace heed_own_code
}  // namespace heed::detail
