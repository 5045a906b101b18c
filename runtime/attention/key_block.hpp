// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/key_range.hpp"
#include "heed/attention.hpp"

namespace heed::detail {

/// Up to sixteen query rows that pass over the keys together.
struct Group {
  std::uint32_t first;  ///< row of the unit
  std::uint32_t rows;
  bool columns;          ///< the queries are the lanes; otherwise the keys are
  const float* queries;  ///< scaled: [head_dim, 16] with columns, otherwise [rows, head_dim]
};

inline namespace heed_own_code {

/// The part of `keys` that lies in the `width` keys from `first` on, counted from there.
[[nodiscard]] constexpr KeyRange within(KeyRange keys, std::uint32_t first, std::uint32_t width) noexcept {
  const std::uint32_t begin = keys.begin > first ? keys.begin - first : 0;
  const std::uint32_t end = keys.end > first ? keys.end - first : 0;
  return {begin, end < width ? end : width};
}

/// The panels that a range touches.
[[nodiscard]] constexpr KeyRange whole_panels(KeyRange keys) noexcept {
  return {keys.begin / panel_width * panel_width, static_cast<std::uint32_t>(round_up(keys.end, panel_width))};
}

}  // namespace heed_own_code

/// One group's pass over one block of keys. Key ranges count from the block's first key.
struct KeyBlock {
  const AttentionPlan& plan;
  const Group& group;
  std::uint32_t first_key;  ///< a multiple of block_keys
  const KeyRange* seen;     ///< [rows of the group]
  KeyRange any{};           ///< seen by at least one row
  KeyRange all{};           ///< seen by every row, without a hole
  KeyRange scored{};        ///< to be scored: `any`, or more when raw scores are wanted
  bool changed = false;     ///< something was done to the scores: maxima taken before it do not count
  float* staged = nullptr;  ///< room for what is not in memory as the kernels want it, [staged_keys, head_dim]
  float* scores = nullptr;  ///< [keys, 16] with columns, otherwise [rows, score_row]
  std::ptrdiff_t score_row = 0;
};

/// The distance from a score to that of the next row, and of the next key.
struct ScoreStrides {
  std::ptrdiff_t row;
  std::ptrdiff_t key;
};

inline namespace heed_own_code {

[[nodiscard]] inline ScoreStrides score_strides(const KeyBlock& block) noexcept {
  if (block.group.columns) return {1, panel_width};
  return {block.score_row, 1};
}

}  // namespace heed_own_code

/// Scores become weights, 0 within `any` for what a row does not see. `maxima` and `sums` [16] receive each row's
/// greatest visible score and sum of weights; with columns, `maxima` holds what score_keys() left there. `totals` is
/// room for 16 x 16 floats, used with columns.
void weigh_keys(const KeyBlock& block, float* maxima, float* sums, float* totals) noexcept;

}  // namespace heed::detail
