// SPDX-License-Identifier: MIT
//
// What options do to the scores of a key block, one pass for each: in either layout, in units of ln 2, in place. Every
// pass takes the keys [keys.begin, keys.end), counted from the block's first key, and may also change scores beside
// them that nobody reads. `block_work` takes 16 x (value_dim rounded up to 16) floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/each_column.hpp>
#include <port.hpp>

#include "attention/key_block.hpp"
#include "attention/row_group.hpp"
#include "heed/options.hpp"

namespace heed::detail {

template <class Function>
[[gnu::always_inline]] inline void change(float* at, Function f) noexcept {
  port::store(at, f(port::load(at)));
}

/// Room for the numbers of a group's rows and `step` keys, and as much again for the same ones with the rows in the
/// lanes. A row of the first may be written sixteen keys wide where what it spills into is written later, or has been
/// read.
struct Squares {
  std::uint32_t step;
  float* rows;
  float* panel;

  Squares(const KeyBlock& block, float* block_work) noexcept
      : step(block.plan.config.value_dim > panel_width ? panel_width : panel_width / 2),
        rows(block_work),
        panel(block_work + std::size_t{block.plan.row_group_rows} * step) {}
};

[[nodiscard]] inline port::f32x16 load_count(const float* from, std::uint32_t count) noexcept {
  return count == panel_width ? port::load(from) : port::load_partial(from, static_cast<int>(count));
}

/// Scores become f(score, number), where rows_at(key, count, rows) points rows[r] to the numbers of `count` keys, at
/// most `step`. `panel` is room for 16 x step floats.
template <class RowsAt, class Function>
void change_by_rows(const KeyBlock& block, KeyRange keys, std::uint32_t step, float* panel, RowsAt rows_at,
                    Function f) noexcept {
  const float* rows[panel_width];
  for (std::uint32_t key = keys.begin; key < keys.end; key += step) {
    const std::uint32_t count = keys.end - key < step ? keys.end - key : step;
    rows_at(key, count, rows);
    if (block.group.columns) {
      float* const scores = block.scores + std::size_t{key} * panel_width;
      const auto change_key = [&](std::uint32_t k, const port::f32x16& numbers) __attribute__((always_inline)) {
        change(scores + std::size_t{k} * panel_width,
               [&](const port::f32x16& score) noexcept { return f(score, numbers); });
      };
      each_column(rows, block.group.rows, count, panel, change_key);
      continue;
    }
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      float* at = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row + key;
      const port::f32x16 score = f(load_count(at, count), load_count(rows[r], count));
      if (count == panel_width) {
        port::store(at, score);
      } else {
        port::store_partial(at, score, static_cast<int>(count));
      }
    }
  }
}

/// A row of numbers for each row of a group: rows[r][key] belongs to the key `key` of the batch entry.
struct NumberRows {
  const float* of[panel_width];
};

/// score + log2(e) * bias, with nothing added from key `count` of the batch entry on.
void add_bias(const KeyBlock& block, KeyRange keys, const NumberRows& bias, std::uint32_t count,
              float* block_work) noexcept;

/// score = cap * tanh(score / cap).
void cap_scores(const KeyBlock& block, KeyRange keys, float softcap) noexcept;

/// The same as add_bias(), but -inf where log2(e) * mask is -inf, whatever the score was.
void add_mask(const KeyBlock& block, KeyRange keys, const NumberRows& mask, float* block_work) noexcept;

/// score - slopes[r] * |key - positions[r]|, with slopes in units of ln 2.
void add_slopes(const KeyBlock& block, KeyRange keys, const float* slopes, const std::int64_t* positions) noexcept;

/// score + log2(e) * values[r][clamp(key - positions[r], -left, right) + left].
void add_relative(const KeyBlock& block, KeyRange keys, const NumberRows& values, const RelativeBias& bias,
                  const std::int64_t* positions, float* block_work) noexcept;

/// One row of a bool mask.
struct BoolRow {
  const std::uint8_t* data;
  MaskFormat format;

  [[nodiscard]] bool open(std::uint32_t key) const noexcept {
    return format == MaskFormat::bytes ? data[key] != 0 : (data[key / 8] >> key % 8 & 1) != 0;
  }
};

/// -inf where masks[r] is false, whatever the score was.
void close_scores(const KeyBlock& block, KeyRange keys, const BoolRow* masks, float* block_work) noexcept;

/// Whether one of the keys [key, key + count) is false; perhaps also where bytes other than 0 have no bit in common.
[[nodiscard]] bool has_closed(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept;

/// How many of the keys [key, key + count) are false at their beginning, and at their end.
[[nodiscard]] std::uint32_t closed_at_begin(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept;
[[nodiscard]] std::uint32_t closed_at_end(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept;

}  // namespace heed::detail
