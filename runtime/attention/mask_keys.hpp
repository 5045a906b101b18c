// SPDX-License-Identifier: MIT
//
// The first step of a pass: which of its keys the rows of a group see.
#pragma once

#include <cstdint>
#include <kernels/open_keys.hpp>
#include <port.hpp>

#include "attention/key_block.hpp"
#include "attention/row_group.hpp"
#include "common/key_range.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Whether the port looks at all that a mask has of a key block, and the policy has a function for it.
template <class Policy>
concept looks_at_blocks = has_open_keys && requires {
  &Policy::see_block;
};

/// Masking: what the rows see of the `width` keys from block.first_key on, kept at `place`.
template <class Work>
void mask_keys(Work& work, KeyBlock& block, std::uint32_t width, KeyRange* seen) noexcept {
  KeyRange any{width, 0};
  KeyRange all{0, width};
  bool holes = false;
  const std::uint32_t different = work.policy.same_for_all() ? 1 : block.group.rows;
  if constexpr (Work::Policy::has_options && port::prefetches) {
    // A key block ahead: a mask may come from afar.
    const auto prefetch = [&](std::uint32_t first_key) noexcept {
      if (!work.policy.has_mask_at(first_key)) return;
      for (std::uint32_t r = 0; r < different; ++r) {
        work.policy.prefetch_mask(work.rows.at(block.group.first + r), first_key);
      }
    };
    if (block.first_key == 0) prefetch(0);
    prefetch(block.first_key + width);
  }
  if constexpr (looks_at_blocks<typename Work::Policy>) {
    QueryRow rows[panel_width];
    for (std::uint32_t r = 0; r < different; ++r) rows[r] = work.rows.at(block.group.first + r);
    holes = work.policy.see_block(rows, different, block.first_key, width, seen);
    for (std::uint32_t r = 0; r < different; ++r) join_row(seen[r], any, all);
  } else {
    for (std::uint32_t r = 0; r < different; ++r) {
      const QueryRow row = work.rows.at(block.group.first + r);
      KeyRange keys = within(work.policy.visible(row.query), block.first_key, width);
      if constexpr (Work::Policy::has_options) {
        keys = work.policy.trim_masked_ends(row, block.first_key, keys);
        holes = holes || work.policy.has_hole(row, block.first_key, keys);
      }
      seen[r] = keys;
      join_row(keys, any, all);
    }
  }
  for (std::uint32_t r = different; r < block.group.rows; ++r) seen[r] = seen[0];
  block.seen = seen;
  block.any = any;
  block.all = all;
  block.holes = holes;
  if (holes) block.all = {};
}

}  // namespace heed_own_code
}  // namespace heed::detail
