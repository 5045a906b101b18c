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

/// The greatest of the scores [keys] in `seen`, which is not empty.
[[nodiscard]] inline float greatest_score(float* scores, KeyRange seen) noexcept {
  return greatest_of(scores + seen.begin, 1, seen.end - seen.begin);
}

/// Scores become p = weight * scale, or 0 where the weight is 0, whatever the scale; those in the panels that `seen`
/// touches beside it become 0.
[[gnu::noinline]] inline void weigh_scores(float* scores, KeyRange seen, const float* scales,
                                           WeighedRow& row) noexcept {
  std::uint32_t key = seen.begin / panel_width * panel_width;
  for (; key < seen.begin; ++key) scores[key] = 0.0F;
  std::uint32_t total = 0;
  float no_number = 0.0F;
  float greatest = row.greatest;
  for (; key < seen.end; ++key) {
    const float below = scores[key] - row.maximum;
    const std::uint32_t weight = integer_weight(below);
    total += weight;
    float p = weight == 0 ? 0.0F : static_cast<float>(weight) * 0x1p-14F * scales[key];
    if (below != below) p = no_number = below;
    scores[key] = p;
    if (!(p <= greatest) && greatest == greatest) greatest = p;
  }
  row.sum += static_cast<float>(total) * 0x1p-14F + no_number;
  row.greatest = greatest;
  for (; key % panel_width != 0; ++key) scores[key] = 0.0F;
}

}  // namespace heed::detail
