// SPDX-License-Identifier: MIT
//
// The weights of a softmax as integers of 14 bits, as in the shared header, of some rows a step after the other: one
// vector's steps wait for each other. What adds takes half of the CPU's pipes, and what multiplies the other half: sums
// are fused products with 1.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <kernels/integer_exp2.hpp>
#include <kernels/row_magnitude.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Sixteen scores, of which those not in `seen` become minus infinity. Whole vectors are written, which the loads after
/// them get at once.
[[gnu::always_inline]] inline void hide_unseen(float* scores, __mmask16 seen) noexcept {
  const __m512 unseen = _mm512_set1_ps(minus_infinity);
  port::store(scores, {_mm512_mask_blend_ps(seen, unseen, port::load(scores).all)});
}

/// The greatest of the scores [keys] in `seen`, which is not empty, or `lowest`. Others in the panels that it touches
/// are lost.
[[nodiscard]] inline float greatest_score(float* scores, KeyRange seen) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const std::uint32_t last = (seen.end - 1) / panel_width * panel_width;
  hide_unseen(scores + first, static_cast<__mmask16>(0xFFFFU << (seen.begin - first)));
  hide_unseen(scores + last, static_cast<__mmask16>(0xFFFFU >> (last + panel_width - seen.end)));
  port::f32x16 greatest = port::set(lowest);
  for (std::uint32_t key = first; key <= last; key += panel_width) {
    greatest = port::max(greatest, port::load(scores + key));
  }
  return port::maximum(greatest);
}

/// The scores of some rows, which lie `score_row` apart, and `keys` keys in whole panels become p = weight * scale, or
/// 0 where the weight is 0, whatever the scale. A score that its row does not see is minus infinity, whose weight is 0.
template <int Rows>
[[gnu::always_inline]] inline void weigh_some(float* scores, std::ptrdiff_t score_row, std::uint32_t keys,
                                              const float* scales, WeighedRow* rows) noexcept {
  using namespace port;
  constexpr __mmask16 every = port::detail::every_lane;
  const f32x16 one = set(1.0F);
  f32x16 shifts[Rows];
  f32x16 totals[Rows];
  __m512i greatest[Rows];  // no p is below 0, so that their bits are ordered as they are, and NaN is greater
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    shifts[r] = set(rows[r].maximum);
    totals[r] = set(0.0F);
    greatest[r] = _mm512_setzero_si512();
  }
  for (; keys != 0; keys -= panel_width, scores += panel_width, scales += panel_width) {
    f32x16 weights[Rows];
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) weights[r] = sub(load(scores + r * score_row), shifts[r]);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) weights[r] = to_multiples<8>(max(set(-16.0F + 0x1p-8F), weights[r]));
    integer_exp2(weights);
    const f32x16 all_scales = load(scales);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const __m512i bits = _mm512_castps_si512(weights[r].all);
      const f32x16 p{_mm512_maskz_mul_ps(_mm512_test_epi32_mask(bits, bits), weights[r].all, all_scales.all)};
      store(scores + r * score_row, p);
      totals[r] = fma(weights[r], one, totals[r]);
      greatest[r] = _mm512_maskz_max_epu32(every, greatest[r], _mm512_castps_si512(p.all));
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    rows[r].sum += port::sum(totals[r]);
    const float most = magnitude_of(greatest[r]);
    if (rows[r].greatest == rows[r].greatest && !(most <= rows[r].greatest)) rows[r].greatest = most;
  }
}

/// Scores become p as above; those in the panels that `seen` touches beside it become 0. `seen`, which is not empty, is
/// all that greatest_score() was asked for, or the part of it that lies in some panels.
inline void weigh_scores(float* scores, KeyRange seen, const float* scales, WeighedRow& row) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const std::uint32_t panels = (seen.end - first + panel_width - 1) / panel_width;
  weigh_some<1>(scores + first, 0, panels * panel_width, scales + first, &row);
}

}  // namespace heed::detail
