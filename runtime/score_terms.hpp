// SPDX-License-Identifier: MIT
//
// What options add to scores: sixteen keys of one row at a time, in either layout of a key block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/logarithm.hpp>
#include <kernels/transpose.hpp>
#include <port.hpp>

#include "heed/options.hpp"
#include "key_block.hpp"

namespace heed::detail {

/// A number in a mask that closes: below it, a score in units of ln 2 is infinite.
inline constexpr float closing = -2.35e38F;

/// The bytes or bits of one row of a bool mask.
struct BoolRow {
  const std::uint8_t* data;  ///< null: no mask
  MaskFormat format;

  [[nodiscard]] bool open(std::uint32_t key) const noexcept {
    return format == MaskFormat::bytes ? data[key] != 0 : (data[key / 8] >> key % 8 & 1) != 0;
  }
};

/// All terms of one row.
struct RowTerms {
  BoolRow bool_mask;
  const float* mask;             ///< null: none
  const float* relative_values;  ///< [left + 1 + right] of the row's head; null: none
  std::uint32_t left;
  std::uint32_t right;
  float slope;            ///< of the row's head, in units of ln 2; 0: none
  std::int64_t position;  ///< of the query
};

/// Scores of `keys`, counted from the block's first key, become f(score, term), where term(r, key, count) gives what
/// sixteen keys of row r add, `count` of them real. `room` is for 2 x 16 x 16 floats.
template <class Term, class Combine>
void change_scores(const KeyBlock& block, KeyRange keys, float* room, Term term, Combine combine) noexcept {
  const std::uint32_t rows = block.group.rows;
  for (std::uint32_t key = keys.begin / panel_width * panel_width; key < keys.end; key += panel_width) {
    const std::uint32_t left = keys.end - key;
    const std::uint32_t count = left < panel_width ? left : panel_width;
    if (!block.group.columns) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        float* at = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row + key;
        port::store(at, combine(port::load(at), term(r, key, count)));
      }
      continue;
    }
    const float* turned[panel_width];
    float* panel = room + std::size_t{panel_width} * panel_width;
    for (std::uint32_t r = 0; r < rows; ++r) {
      float* to = room + std::size_t{r} * panel_width;
      port::store(to, term(r, key, count));
      turned[r] = to;
    }
    to_panel(turned, rows, panel_width, 1.0F, panel);
    for (std::uint32_t k = key < keys.begin ? keys.begin - key : 0; k < count; ++k) {
      float* at = block.scores + std::size_t{key + k} * panel_width;
      port::store(at, combine(port::load(at), port::load(panel + std::size_t{k} * panel_width)));
    }
  }
}

/// Scores of `keys`, counted from the block's first key, become f(score).
template <class Function>
void change_scores(const KeyBlock& block, KeyRange keys, Function f) noexcept {
  const auto change = [&f](float* at) noexcept { port::store(at, f(port::load(at))); };
  if (block.group.columns) {
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) change(block.scores + std::size_t{key} * panel_width);
    return;
  }
  const KeyRange panels = whole_panels(keys);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    float* row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
    for (std::uint32_t key = panels.begin; key < panels.end; key += panel_width) change(row + key);
  }
}

/// Sixteen numbers from memory, those from `count` on 0.
[[nodiscard]] inline port::f32x16 load_count(const float* from, std::uint32_t count) noexcept {
  return count == panel_width ? port::load(from) : port::load_partial(from, static_cast<int>(count));
}

/// What is added to the scores of the keys `key`, key + 1, ... of a batch entry: -inf where a mask closes.
[[nodiscard]] port::f32x16 terms_of(const RowTerms& row, std::uint32_t key, std::uint32_t count) noexcept;

}  // namespace heed::detail
