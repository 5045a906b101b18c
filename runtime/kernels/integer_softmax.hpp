// SPDX-License-Identifier: MIT
//
// The weights of a softmax as integers of 14 bits: 2^-d of integer_exp2.hpp, with d = maximum - score in units of ln 2,
// to 8 fractional bits, nearest even, at most 16 - 2^-8.
#pragma once

#include <cstdint>
#include <kernels/integer_exp2.hpp>
#include <kernels/maximum.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "common/integer_product.hpp"
#include "common/key_range.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// The weights of scores below their maximum by -x, as multiples of 2^-14; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 integer_weight(const port::f32x16& x) noexcept {
  using namespace port;
  constexpr float to_eighth_bit = 49152.0F;  // 1.5 * 2^15: what is added to it is rounded to multiples of 2^-8
  const f32x16 kept = max(set(-16.0F + 0x1p-8F), x);
  return integer_exp2(sub(add(kept, set(to_eighth_bit)), set(to_eighth_bit)));
}

/// The greatest of the scores [keys] in `seen`, which is not empty, or `lowest`. Others in the panels that it touches
/// are lost.
[[nodiscard]] inline float greatest_score(float* scores, KeyRange seen) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const auto last = static_cast<std::uint32_t>(round_up(seen.end, panel_width));
  for (std::uint32_t key = first; key < seen.begin; ++key) scores[key] = minus_infinity;
  for (std::uint32_t key = seen.end; key < last; ++key) scores[key] = minus_infinity;
  port::f32x16 greatest = port::set(lowest);
  for (std::uint32_t key = first; key < last; key += panel_width) {
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
  f32x16 total = zero;
  f32x16 greatest = zero;
  f32x16 no_numbers = zero;
  for (std::uint32_t key = seen.begin / panel_width * panel_width; key < seen.end; key += panel_width) {
    const f32x16 weight = integer_weight(sub(load(scores + key), shift));
    const f32x16 p = where_less(weight, set(0x1p-14F), zero, mul(weight, load(scales + key)));
    store(scores + key, p);
    total = add(total, weight);
    greatest = max(greatest, p);
    if constexpr (!maximum_keeps_nan) no_numbers = fma(p, zero, no_numbers);
  }
  row.sum += port::sum(total);
  float most = maximum(greatest);
  most += maximum_keeps_nan ? most * 0.0F : port::sum(no_numbers);
  if (row.greatest == row.greatest && !(most <= row.greatest)) row.greatest = most;
}

}  // namespace heed::detail
