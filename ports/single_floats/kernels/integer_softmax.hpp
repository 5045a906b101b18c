// SPDX-License-Identifier: MIT
//
// The weights of the shared kernel, in integers.
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/integer_exp2.hpp>
#include <single_floats/detail/greatest.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The weight of a score below its maximum by -x, in units of 2^-14; x is a number.
[[gnu::always_inline]] inline std::uint32_t integer_weight(float x) noexcept {
  constexpr float to_eighth_bit = 49152.0F;  // 1.5 * 2^15: what is added to it is rounded to multiples of 2^-8
  constexpr float least = -16.0F + 0x1p-8F;
  const float rounded = (x > least ? x : least) + to_eighth_bit;
  const auto steps =
      static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(to_eighth_bit) - std::bit_cast<std::int32_t>(rounded));
  return integer_exp2(steps);
}

/// Scores [keys] of one row become weights; `seen`, which is not empty, is what the row sees of them, and others in the
/// panels that it touches get the weight 0.
[[gnu::noinline]] inline void weigh_row(float* scores, KeyRange seen, float& maximum, float& sum) noexcept {
  std::uint32_t key = seen.begin / panel_width * panel_width;
  for (; key < seen.begin; ++key) scores[key] = 0.0F;
  maximum = greatest_of(scores + key, 1, seen.end - key);
  std::uint32_t total = 0;
  float no_number = 0.0F;
  for (; key < seen.end; ++key) {
    const float below = scores[key] - maximum;
    const std::uint32_t weight = integer_weight(below);
    total += weight;
    scores[key] = static_cast<float>(weight) * 0x1p-14F;
    if (below == below) continue;
    scores[key] = no_number = below;
  }
  sum = static_cast<float>(total) * 0x1p-14F + no_number;
  for (; key % panel_width != 0; ++key) scores[key] = 0.0F;
}

}  // namespace heed::detail
