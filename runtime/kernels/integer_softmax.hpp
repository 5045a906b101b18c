// SPDX-License-Identifier: MIT
//
// The weights of a softmax as integers of 14 bits: 2^-d of integer_exp2.hpp, with d = maximum - score in units of ln 2,
// to 8 fractional bits, nearest even, at most 16 - 2^-8.
#pragma once

#include <cstdint>
#include <kernels/integer_exp2.hpp>
#include <port.hpp>

#include "common/constants.hpp"
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

/// Scores [keys] of one row become weights; `seen`, which is not empty, is what the row sees of them, and others in the
/// panels that it touches get the weight 0. The sum is exact.
inline void weigh_row(float* scores, KeyRange seen, float& maximum, float& sum) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const auto last = static_cast<std::uint32_t>(round_up(seen.end, panel_width));
  for (std::uint32_t key = first; key < seen.begin; ++key) scores[key] = minus_infinity;
  for (std::uint32_t key = seen.end; key < last; ++key) scores[key] = minus_infinity;
  port::f32x16 greatest = port::set(lowest);
  for (std::uint32_t key = first; key < last; key += panel_width) {
    greatest = port::max(greatest, port::load(scores + key));
  }
  maximum = port::maximum(greatest);
  const port::f32x16 shift = port::set(maximum);
  port::f32x16 total = port::set(0.0F);
  for (std::uint32_t key = first; key < last; key += panel_width) {
    const port::f32x16 weight = integer_weight(port::sub(port::load(scores + key), shift));
    port::store(scores + key, weight);
    total = port::add(total, weight);
  }
  sum = port::sum(total);
}

}  // namespace heed::detail
