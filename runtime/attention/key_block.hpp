// SPDX-License-Identifier: MIT
//
// The scores of one row group and some keys: what the steps of a pass (key_pass.hpp) and the options hand to each
// other. Key ranges in it count from the block's first key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/row_group.hpp"
#include "common/key_range.hpp"
#include "heed/attention.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The part of `keys` that lies in the `width` keys from `first` on, counted from there.
[[nodiscard]] constexpr KeyRange within(KeyRange keys, std::uint32_t first, std::uint32_t width) noexcept {
  const std::uint32_t begin = keys.begin > first ? keys.begin - first : 0;
  const std::uint32_t end = keys.end > first ? keys.end - first : 0;
  return {begin, end < width ? end : width};
}

/// The panels that a range touches.
[[nodiscard]] constexpr KeyRange whole_panels(KeyRange keys) noexcept {
  return {keys.begin / panel_width * panel_width, (keys.end + panel_width - 1) / panel_width * panel_width};
}

}  // namespace heed_own_code

struct KeyBlock {
  const AttentionPlan& plan;
  const RowGroup& group;
  std::uint32_t first_key;         ///< a multiple of block_keys
  const KeyRange* seen = nullptr;  ///< [rows of the group]
  KeyRange any{};                  ///< seen by at least one row
  KeyRange all{};                  ///< seen by every row, without a hole
  KeyRange scored{};               ///< to be scored: `any`, or more when raw scores are wanted
  bool holes = false;              ///< a mask may hide keys between others that a row sees
  bool changed = false;            ///< something was done to the scores: maxima taken before it do not count
  float* staged;  ///< keys or values that are not in memory as the kernels want them, [staged_keys, head_dim]
  float* scores;  ///< [keys, 16] with columns, otherwise [rows, score_row]
  std::ptrdiff_t score_row;
};

/// The distance from a score to that of the next row, and of the next key.
struct ScoreStrides {
  std::ptrdiff_t row;
  std::ptrdiff_t key;
};

inline namespace heed_own_code {

/// Joins what one more row sees to what `any` row and `all` rows do.
inline void join_row(KeyRange keys, KeyRange& any, KeyRange& all) noexcept {
  if (!keys.empty()) {
    if (keys.begin < any.begin) any.begin = keys.begin;
    if (keys.end > any.end) any.end = keys.end;
  }
  if (keys.begin > all.begin) all.begin = keys.begin;
  if (keys.end < all.end) all.end = keys.end;
}

[[nodiscard]] inline ScoreStrides score_strides(const KeyBlock& block) noexcept {
  if (block.group.columns) return {1, panel_width};
  return {block.score_row, 1};
}

}  // namespace heed_own_code

/// With columns, scores of keys that a query does not see become -inf, if there are some, a key at a time; keys that
/// every query sees are left alone. Returns whether it was done. For calls with options, which hide many.
[[nodiscard]] bool hide_unseen(const KeyBlock& block) noexcept;

/// Scores become weights, 0 within `any` for what a row does not see. `maxima` and `sums` [16] receive each row's
/// greatest visible score and sum of weights; with columns, `maxima` holds what score_keys() left there. `block_work`
/// takes 16 x 16 floats with columns. `hidden`: hide_unseen() has been done.
void weigh_keys(const KeyBlock& block, bool hidden, float* maxima, float* sums, float* block_work) noexcept;

}  // namespace heed::detail
