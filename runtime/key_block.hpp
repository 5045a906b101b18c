// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/key_range.hpp>

#include "heed/attention.hpp"

namespace heed::detail {

/// Keys and values of one batch entry and one key head.
struct KeysAndValues {
  const float* keys;  ///< rows [count, head_dim], or panels [count / 16, head_dim, 16]
  bool key_panels;
  std::ptrdiff_t key_row;    ///< stride of the rows
  const float* values;       ///< rows [count, value_dim]
  std::ptrdiff_t value_row;  ///< stride of the rows
  std::uint32_t count;       ///< keys that are there to be scored
  std::uint32_t length;      ///< keys that a query may see, at most `count`
};

/// Up to sixteen query rows that pass over the keys together.
struct Group {
  std::uint32_t first;  ///< row of the unit
  std::uint32_t rows;
  bool columns;          ///< the queries are the lanes; otherwise the keys are
  const float* queries;  ///< scaled: [head_dim, 16] with columns, otherwise [rows, head_dim]
};

/// The part of `keys` that lies in the `width` keys from `first` on, counted from there.
[[nodiscard]] constexpr KeyRange within(KeyRange keys, std::uint32_t first, std::uint32_t width) noexcept {
  const std::uint32_t begin = keys.begin > first ? keys.begin - first : 0;
  const std::uint32_t end = keys.end > first ? keys.end - first : 0;
  return {begin, end < width ? end : width};
}

/// One group's pass over one block of keys. Key ranges count from the block's first key.
struct KeyBlock {
  const AttentionPlan& plan;
  const KeysAndValues& source;
  const Group& group;
  std::uint32_t first_key;  ///< a multiple of block_keys
  const KeyRange* seen;     ///< [rows of the group]
  KeyRange any{};           ///< seen by at least one row
  KeyRange all{};           ///< seen by every row
  KeyRange scored{};        ///< to be scored: `any`, or more when raw scores are wanted
  float* staged = nullptr;  ///< key panels made on the way, [staged_keys / 16, head_dim, 16]
  float* scores = nullptr;  ///< [keys, 16] with columns, otherwise [rows, score_row]
  std::ptrdiff_t score_row = 0;
};

/// The distance from a score to that of the next row, and of the next key.
struct ScoreStrides {
  std::ptrdiff_t row;
  std::ptrdiff_t key;
};

[[nodiscard]] ScoreStrides score_strides(const KeyBlock& block) noexcept;

/// Scores of the keys `scored`, masked or not, in units of ln 2; with the keys in the lanes, of the whole panels that
/// cover them. With columns, `maxima` [16] receives the greatest of each row.
void score_keys(const KeyBlock& block, float* maxima) noexcept;

/// Scores become weights, 0 within `any` for what a row does not see. `maxima` and `sums` [16] receive each row's
/// greatest visible score and sum of weights; with columns, `maxima` holds what score_keys() left there. `totals` is
/// room for 16 x 16 floats, used with columns.
void weigh_keys(const KeyBlock& block, float* maxima, float* sums, float* totals) noexcept;

/// result [rows, value_dim rounded up to 16] = weights x values.
void multiply_values(const KeyBlock& block, float* result) noexcept;

}  // namespace heed::detail
