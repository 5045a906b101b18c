// SPDX-License-Identifier: MIT
//
// What options do to the scores of a key block, one pass for each: in either layout, in units of ln 2, in place. Every
// pass takes the keys [keys.begin, keys.end), counted from the block's first key, and may also change scores beside
// them that nobody reads. `block_work` takes 16 x (value_dim rounded up to 16) floats.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/key_block.hpp"
#include "attention/row_group.hpp"
#include "heed/options.hpp"

namespace heed::detail {

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

/// How many of the keys [key, key + count) are false at their beginning, and at their end.
[[nodiscard]] std::uint32_t closed_at_begin(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept;
[[nodiscard]] std::uint32_t closed_at_end(const BoolRow& mask, std::uint32_t key, std::uint32_t count) noexcept;

}  // namespace heed::detail
