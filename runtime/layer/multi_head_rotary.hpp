// SPDX-License-Identifier: MIT
//
// Rotary positions in a layer's calls.
#pragma once

#include "layer/multi_head_call.hpp"
#include "layer/multi_head_check.hpp"
#include "positions/rotary.hpp"

namespace heed::detail {

/// A layer with rotary positions.
struct RotaryHooks : PlainHooks {
  const LayerRotary& layer;

  explicit RotaryHooks(const LayerRotary& rotary) noexcept : layer(rotary) {}

  void rotate(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    if (layer.rotary == nullptr) return;
    const std::uint32_t number = rows.number + rows.first - layer.begin;
    RotaryPositions tokens{.batch = 1, .heads = heads, .tokens = rows.count, .first_positions = &number};
    if (layer.positions != nullptr) {
      tokens.positions = layer.positions + std::size_t{rows.batch} * rows.inputs.tokens + rows.first;
    }
    const MutableTensor view = bshd(data, heads, rows.count, layer.rotary->plan.config.head_dim);
    detail::rotate(*layer.rotary, tokens, view, view);
  }
  void finish_queries(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    rotate(rows, heads, data);
  }
  void finish_keys(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    rotate(rows, heads, data);
  }
};

/// Positions of a call's tokens; those of attend() are the last ones of their sequences.
[[nodiscard]] Status check_rotary(const Sequences& sequences, const LayerRotary& layer, CacheUpdate update) noexcept;

}  // namespace heed::detail
