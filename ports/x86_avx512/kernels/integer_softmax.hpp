// SPDX-License-Identifier: MIT
//
// The weights of a softmax as integers of 14 bits, as in the shared header. What adds takes half of the CPU's pipes,
// and what multiplies the other half: sums are fused products with 1.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <kernels/integer_exp2.hpp>
#include <limits>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The weights of scores below their maximum by -x, as multiples of 2^-14; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 integer_weight(const port::f32x16& x) noexcept {
  return integer_exp2(to_multiples<8>(port::max(port::set(-16.0F + 0x1p-8F), x)));
}

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

/// Scores become p = weight * scale, or 0 where the weight is 0, whatever the scale; those in the panels that `seen`
/// touches beside it become 0. `seen`, which is not empty, is all that greatest_score() was asked for, or the part of
/// it that lies in some panels.
inline void weigh_scores(float* scores, KeyRange seen, const float* scales, WeighedRow& row) noexcept {
  using namespace port;
  const f32x16 shift = set(row.maximum);
  const f32x16 zero = set(0.0F);
  const f32x16 one = set(1.0F);
  const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
  f32x16 total = zero;
  f32x16 greatest = zero;
  f32x16 no_numbers = zero;
  for (std::uint32_t key = seen.begin / panel_width * panel_width; key < seen.end; key += panel_width) {
    const f32x16 weight = integer_weight(sub(load(scores + key), shift));
    const __mmask16 counts = _mm512_test_epi32_mask(_mm512_castps_si512(weight.all), magnitude);
    const f32x16 p{_mm512_maskz_mul_ps(counts, weight.all, load(scales + key).all)};
    store(scores + key, p);
    total = fma(weight, one, total);
    greatest = max(greatest, p);
    no_numbers = fma(p, zero, no_numbers);
  }
  row.sum += port::sum(total);
  const bool numbers = _mm512_cmp_ps_mask(no_numbers.all, no_numbers.all, _CMP_UNORD_Q) == 0;
  const float most = numbers ? maximum(greatest) : std::numeric_limits<float>::quiet_NaN();
  if (row.greatest == row.greatest && !(most <= row.greatest)) row.greatest = most;
}

}  // namespace heed::detail
