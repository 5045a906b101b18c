// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Joins the statistics of one block to the running ones of sixteen rows, row by row as the shared kernel does.
inline void merge_statistics(float* block, const float* block_sums, float* maxima, float* sums,
                             float* before) noexcept {
#pragma GCC unroll 1
  for (std::uint32_t row = 0; row < panel_width; ++row) {
    const float maximum = port::less(block[row], maxima[row]) ? maxima[row] : block[row];
    before[row] = port::compact_difference(maxima[row], maximum);
    block[row] = port::compact_difference(block[row], maximum);
    maxima[row] = maximum;
  }
  exp2_of_sixteen(before);
  exp2_of_sixteen(block);
#pragma GCC unroll 1
  for (std::uint32_t row = 0; row < panel_width; ++row) {
    sums[row] = port::fused(block_sums[row], block[row], port::product(sums[row], before[row]));
  }
}

/// accumulator = accumulator * before + partial * block, over `width` floats, a multiple of 16.
inline void merge_row(const float* partial, float before, float block, std::uint32_t width,
                      float* accumulator) noexcept {
#pragma GCC unroll port::unrolled
  for (std::uint32_t i = 0; i < width; ++i) {
    accumulator[i] = port::fused(partial[i], block, port::product(accumulator[i], before));
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
