// SPDX-License-Identifier: MIT
//
// Key blocks join in ascending order, each with its maximum, its sum of weights and its weighted values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// factors = exp2(old - joined), of sixteen rows; old may be factors.
[[gnu::noinline]] inline void factors_of(const float* old, const float* joined, float* factors) noexcept {
  float totals[4];
  for (int lane = 0; lane < port::lanes; lane += 4) {
    port::store_quad(factors + lane, port::load_quad(old + lane));
    exp2_of_differences<16, Totals::begin>(factors + lane, port::load_quad(joined + lane), totals, 1);
  }
}

/// Joins the statistics of one block to the running ones of sixteen rows. The result of the blocks so far counts by the
/// factor `before`, the block's by `block`, which holds the block's maxima before; the side with the greater maximum
/// has the factor 1.
inline void merge_statistics(float* block, const float* block_sums, float* maxima, float* sums,
                             float* before) noexcept {
  using namespace port;
  float joined[lanes];
  store(joined, max(load(maxima), load(block)));
  factors_of(maxima, joined, before);
  factors_of(block, joined, block);
  store(maxima, load(joined));
  for (int lane = 0; lane < lanes; lane += 4) {
    const float32x4_t old = vmulq_f32(port::load_quad(sums + lane), port::load_quad(before + lane));
    port::store_quad(sums + lane, vfmaq_f32(old, port::load_quad(block_sums + lane), port::load_quad(block + lane)));
  }
}

/// accumulator = accumulator * before + partial * block, over `width` floats, a multiple of 16.
inline void merge_row(const float* partial, float before, float block, std::uint32_t width,
                      float* accumulator) noexcept {
  for (std::uint32_t i = 0; i < width; i += 4) {
    const float32x4_t old = vmulq_n_f32(port::load_quad(accumulator + i), before);
    port::store_quad(accumulator + i, vfmaq_n_f32(old, port::load_quad(partial + i), block));
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
