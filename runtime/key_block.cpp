// SPDX-License-Identifier: MIT
#include "key_block.hpp"

#include <kernels/finite.hpp>
#include <kernels/multiply.hpp>
#include <kernels/softmax.hpp>
#include <kernels/transpose.hpp>

namespace heed::detail {
namespace {

/// The panels that a range touches.
[[nodiscard]] KeyRange whole_panels(KeyRange keys) noexcept {
  return {keys.begin / panel_width * panel_width, static_cast<std::uint32_t>(round_up(keys.end, panel_width))};
}

/// Keys [first_key + keys.begin, first_key + keys.end) as panels: the cache's own, or made from rows.
[[nodiscard]] const float* panels_of(const KeyBlock& block, KeyRange keys) noexcept {
  const KeysAndValues& source = block.source;
  const std::uint32_t head_dim = block.plan.config.head_dim;
  const std::uint32_t first = block.first_key + keys.begin;
  if (source.key_panels) return source.keys + std::size_t{first} * head_dim;
  for (std::uint32_t k = 0; keys.begin + k < keys.end; k += panel_width) {
    const std::uint32_t left = source.count - (first + k);
    const std::uint32_t count = left < panel_width ? left : panel_width;
    const float* rows[panel_width];
    for (std::uint32_t r = 0; r < count; ++r) {
      rows[r] = source.keys + static_cast<std::ptrdiff_t>(first + k + r) * source.key_row;
    }
    to_panel(rows, count, head_dim, 1.0F, block.staged + std::size_t{k} * head_dim);
  }
  return block.staged;
}

/// Keys in the lanes.
void score_rows(const KeyBlock& block, KeyRange panels) noexcept {
  const auto head_dim = static_cast<std::ptrdiff_t>(block.plan.config.head_dim);
  const std::uint32_t step = block.source.key_panels ? panels.end : block.plan.staged_keys;
  for (KeyRange keys{panels.begin, panels.begin}; keys.begin < panels.end; keys.begin = keys.end) {
    keys.end = panels.end - keys.begin < step ? panels.end : keys.begin + step;
    multiply({.a = block.group.queries,
              .a_row = head_dim,
              .a_step = 1,
              .b = panels_of(block, keys),
              .b_panel = head_dim * std::ptrdiff_t{panel_width},
              .b_step = panel_width,
              .c = block.scores + keys.begin,
              .c_row = block.score_row,
              .c_panel = panel_width,
              .start = nullptr,
              .start_row = 0,
              .rows = block.group.rows,
              .columns = keys.end - keys.begin,
              .depth = block.plan.config.head_dim});
  }
}

/// Queries in the lanes: here the keys are the rows of the product, so they are read where they lie.
void score_columns(const KeyBlock& block, float* maxima) noexcept {
  port::store(maxima, port::set(lowest));
  const KeysAndValues& source = block.source;
  const KeyRange keys = block.scored;
  const std::uint32_t head_dim = block.plan.config.head_dim;
  const auto product = [&](const float* from, std::ptrdiff_t row, std::ptrdiff_t step, std::uint32_t first,
                           std::uint32_t count) noexcept {
    multiply({.a = from,
              .a_row = row,
              .a_step = step,
              .b = block.group.queries,
              .b_panel = 0,
              .b_step = panel_width,
              .c = block.scores + std::size_t{first} * panel_width,
              .c_row = panel_width,
              .c_panel = 0,
              .start = nullptr,
              .start_row = 0,
              .rows = count,
              .columns = panel_width,
              .depth = head_dim,
              .column_maxima = maxima});
  };
  if (!source.key_panels) {
    const float* from = source.keys + static_cast<std::ptrdiff_t>(block.first_key + keys.begin) * source.key_row;
    product(from, source.key_row, 1, keys.begin, keys.end - keys.begin);
    return;
  }
  for (std::uint32_t key = keys.begin; key < keys.end;) {
    const std::uint32_t lane = key % panel_width;
    const std::uint32_t left = keys.end - key;
    const std::uint32_t count = left < panel_width - lane ? left : panel_width - lane;
    product(source.keys + std::size_t{block.first_key + key - lane} * head_dim + lane, 1, panel_width, key, count);
    key += count;
  }
}

void weigh_rows(const KeyBlock& block, KeyRange panels, float* maxima, float* sums) noexcept {
  port::store(maxima, port::set(lowest));
  port::store(sums, port::set(0.0F));
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    float* row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
    const bool sees = !block.seen[r].empty();
    const KeyRange touched = sees ? whole_panels(block.seen[r]) : KeyRange{panels.end, panels.end};
    for (std::uint32_t key = panels.begin; key < touched.begin; ++key) row[key] = 0.0F;
    for (std::uint32_t key = touched.end; key < panels.end; ++key) row[key] = 0.0F;
    if (sees) softmax_row(row, block.seen[r], maxima[r], sums[r]);
  }
}

void weigh_columns(const KeyBlock& block, float* maxima, float* sums, float* totals) noexcept {
  const KeyRange keys = block.any;
  const bool all_seen = block.all.begin <= keys.begin && block.all.end >= keys.end;
  const bool nothing_else = block.scored.begin >= keys.begin && block.scored.end <= keys.end;
  if (!all_seen || !nothing_else) {
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      const KeyRange kept = block.seen[r].empty() ? KeyRange{keys.end, keys.end} : block.seen[r];
      float* column = block.scores + r;
      for (std::size_t key = keys.begin; key < kept.begin; ++key) column[key * panel_width] = minus_infinity;
      for (std::size_t key = kept.end; key < keys.end; ++key) column[key * panel_width] = minus_infinity;
    }
    column_maxima(block.scores, keys, maxima);
  }
  softmax_columns(block.scores, keys, maxima, totals, sums);
}

}  // namespace

ScoreStrides score_strides(const KeyBlock& block) noexcept {
  if (block.group.columns) return {1, panel_width};
  return {block.score_row, 1};
}

void score_keys(const KeyBlock& block, float* maxima) noexcept {
  if (block.group.columns) {
    score_columns(block, maxima);
  } else {
    score_rows(block, whole_panels(block.scored));
  }
}

void weigh_keys(const KeyBlock& block, float* maxima, float* sums, float* totals) noexcept {
  if (block.group.columns) {
    weigh_columns(block, maxima, sums, totals);
  } else {
    weigh_rows(block, whole_panels(block.any), maxima, sums);
  }
}

void multiply_values(const KeyBlock& block, float* result) noexcept {
  const KeysAndValues& source = block.source;
  const std::uint32_t value_dim = block.plan.config.value_dim;
  const ScoreStrides strides = score_strides(block);
  const auto width = static_cast<std::ptrdiff_t>(round_up(value_dim, panel_width));
  const auto values_at = [&](std::uint32_t key) noexcept {
    return source.values + static_cast<std::ptrdiff_t>(block.first_key + key) * source.value_row;
  };
  const auto product = [&](std::uint32_t row, std::uint32_t rows, KeyRange keys) noexcept {
    const auto first_row = static_cast<std::ptrdiff_t>(row);
    const auto first_key = static_cast<std::ptrdiff_t>(keys.begin);
    multiply({.a = block.scores + first_row * strides.row + first_key * strides.key,
              .a_row = strides.row,
              .a_step = strides.key,
              .b = values_at(keys.begin),
              .b_panel = panel_width,
              .b_step = source.value_row,
              .c = result + first_row * width,
              .c_row = width,
              .c_panel = panel_width,
              .start = nullptr,
              .start_row = 0,
              .rows = rows,
              .columns = value_dim,
              .depth = keys.empty() ? 0 : keys.end - keys.begin});
  };
  const auto finite = [&](KeyRange keys) noexcept {
    return keys.empty() || all_finite(values_at(keys.begin), source.value_row, keys.end - keys.begin, value_dim);
  };
  // A key that some rows do not see has the weight 0 there, and 0 times a finite value adds nothing. 0 times infinity
  // or NaN would: then every row is multiplied by its own keys alone.
  const KeyRange any = block.any;
  const KeyRange shared = block.all.empty() ? KeyRange{any.end, any.end} : block.all;
  if (finite({any.begin, shared.begin}) && finite({shared.end, any.end})) {
    product(0, block.group.rows, any);
  } else {
    for (std::uint32_t r = 0; r < block.group.rows; ++r) product(r, 1, block.seen[r]);
  }
}

}  // namespace heed::detail
