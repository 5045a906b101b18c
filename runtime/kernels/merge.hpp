// SPDX-License-Identifier: MIT
//
// Key blocks join in ascending order, each with its maximum, its sum of weights and its weighted values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Joins the statistics of one key block to the running ones of sixteen rows. The result of those before counts by the
/// factor `before`, the block's by `block`, which holds the block's maxima before; the side with the greater maximum
/// has the factor 1.
inline void merge_statistics(float* block, const float* block_sums, float* maxima, float* sums,
                             float* before) noexcept {
  using namespace port;
  const f32x16 old_maximum = load(maxima);
  const f32x16 block_maximum = load(block);
  const f32x16 maximum = max(old_maximum, block_maximum);
  const f32x16 old_factor = exp2_nonpositive(sub(old_maximum, maximum));
  const f32x16 block_factor = exp2_nonpositive(sub(block_maximum, maximum));
  store(maxima, maximum);
  store(sums, fma(load(block_sums), block_factor, mul(load(sums), old_factor)));
  store(before, old_factor);
  store(block, block_factor);
}

/// accumulator = accumulator * before + partial * block, over `width` floats, a multiple of 16.
inline void merge_row(const float* partial, float before, float block, std::uint32_t width,
                      float* accumulator) noexcept {
  using namespace port;
  const f32x16 before_factor = set(before);
  const f32x16 block_factor = set(block);
  for (std::uint32_t i = 0; i < width; i += panel_width) {
    store(accumulator + i, fma(load(partial + i), block_factor, mul(load(accumulator + i), before_factor)));
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
