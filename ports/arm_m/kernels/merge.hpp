// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <kernels/exp2.hpp>

#include "heed/layout.hpp"

namespace heed::detail {

/// The shared kernel, row by row.
inline void merge_statistics(const float* block_maxima, const float* block_sums, float* maxima, float* sums,
                             float* before, float* block) noexcept {
#pragma GCC unroll 1
  for (std::uint32_t row = 0; row < panel_width; ++row) {
    const float maximum = maxima[row] > block_maxima[row] ? maxima[row] : block_maxima[row];
    before[row] = lane_exp2(maxima[row] - maximum);
    block[row] = lane_exp2(block_maxima[row] - maximum);
    maxima[row] = maximum;
    sums[row] = __builtin_fmaf(block_sums[row], block[row], sums[row] * before[row]);
  }
}

/// accumulator = accumulator * before + partial * block, over `width` floats, a multiple of 16.
inline void merge_row(const float* partial, float before, float block, std::uint32_t width,
                      float* accumulator) noexcept {
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < width; ++i) {
    accumulator[i] = __builtin_fmaf(partial[i], block, accumulator[i] * before);
  }
}

}  // namespace heed::detail
