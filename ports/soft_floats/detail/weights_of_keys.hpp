// SPDX-License-Identifier: MIT
//
// The weights of the shared kernel, in integers, from the bits of scores to the bits of p: for a port that has
// weigh_keys().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <detail/greatest_score.hpp>
#include <detail/weighed_keys.hpp>
#include <kernels/integer_exp2.hpp>
#include <single_operations.hpp>
#include <soft_floats/detail/share_parts.hpp>
#include <soft_floats/detail/steps_below.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Scores become p = weight * scale, or 0 where the weight is 0, whatever the scale; those in the panels that `seen`
/// touches beside it become 0.
[[gnu::noinline]] inline void weigh_scores(float* scores, KeyRange seen, const float* scales,
                                           WeighedRow& row) noexcept {
  constexpr std::uint32_t no_sign = ~port::sign_bit;
  const std::uint32_t begin = seen.begin / panel_width * panel_width;
  for (std::uint32_t key = begin; key < seen.begin; ++key) scores[key] = 0.0F;
  float no_number = 0.0F;
  std::int32_t top = 0;
  const bool has_places = places_of(row.maximum, top);
  // No p is below 0, and NaN has the greatest bits.
  WeighedKeys keys{scores + seen.end, static_cast<std::uint32_t>(top) + 2048, 0,
                   std::bit_cast<std::uint32_t>(row.greatest) & no_sign};
  const std::ptrdiff_t to_scales = reinterpret_cast<std::intptr_t>(scales) - reinterpret_cast<std::intptr_t>(scores);
  for (float* score = scores + seen.begin; score != keys.end; ++score) {
    if (has_places) score = weigh_keys(score, to_scales, &keys);
    if (score == keys.end) break;
    float below = 0.0F;
    const std::uint32_t weight = integer_exp2(steps_of_difference(*score, row.maximum, below));
    keys.total += weight;
    float p = 0.0F;
    if (below != below) {
      p = no_number = below;
    } else if (weight != 0) {
      p = port::product(share_of_one<14>(weight), scales[score - scores]);
    }
    *score = p;
    const std::uint32_t size = std::bit_cast<std::uint32_t>(p) & no_sign;
    if (size > keys.greatest) keys.greatest = size;
  }
  row.sum += share_of_one<14>(keys.total) + no_number;
  row.greatest = std::bit_cast<float>(keys.greatest);
  for (std::uint32_t key = seen.end; key % panel_width != 0; ++key) scores[key] = 0.0F;
}

}  // namespace heed_own_code
}  // namespace heed::detail
