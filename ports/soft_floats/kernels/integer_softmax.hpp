// SPDX-License-Identifier: MIT
//
// The weights of the shared kernel, in integers, from the bits of scores to the bits of p.
#pragma once

#include <bit>
#include <cstdint>
#include <detail/greatest_score.hpp>
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
  // Without long products a share's are no shorter than the run-time support's.
  constexpr bool by_support = port::takes_support && !port::integer_unit.long_product;
  std::uint32_t key = seen.begin / panel_width * panel_width;
  for (; key < seen.begin; ++key) scores[key] = 0.0F;
  std::uint32_t total = 0;
  float no_number = 0.0F;
  std::int32_t top = 0;  // the maximum's places, if it has some
  const bool has_places = places_of(row.maximum, top);
  // No p is below 0, and NaN has the greatest bits.
  std::uint32_t greatest = std::bit_cast<std::uint32_t>(row.greatest) & no_sign;
  for (; key < seen.end; ++key) {
    float below = 0.0F;
    std::int32_t number = 0;
    std::uint32_t steps = most_steps_below;
    bool decided = false;
    if (!port::takes_support && has_places && places_of(scores[key], number)) {
      // What the places and the difference's rounding leave out is less than 4 of them: too little to lead anything but
      // what is that close to the middle of two steps to another one.
      const auto distance = static_cast<std::uint32_t>(top - number) + 2048;
      decided = distance >= most_steps_below << 12 || (distance & 4095U) - 4 < 4095 - 7;
      if (distance < most_steps_below << 12) steps = distance >> 12;
    }
    if (!decided) steps = steps_of_difference(scores[key], row.maximum, below);
    const std::uint32_t weight = integer_exp2(steps);
    total += weight;
    float p = 0.0F;
    if (port::is_nan(below)) {
      p = no_number = below;
    } else if (weight != 0 &&
               (by_support || !port::multiply_by_share<port::integer_unit, 14>(scales[key], weight, p))) {
      p = port::product(share_of_one<14>(weight), scales[key]);
    }
    scores[key] = p;
    const std::uint32_t size = std::bit_cast<std::uint32_t>(p) & no_sign;
    if (size > greatest) greatest = size;
  }
  if constexpr (port::takes_small) {
    row.sum = port::compact_sum(row.sum, port::compact_sum(share_of_one<14>(total), no_number));
  } else {
    row.sum += share_of_one<14>(total) + no_number;
  }
  row.greatest = std::bit_cast<float>(greatest);
  for (; key % panel_width != 0; ++key) scores[key] = 0.0F;
}

}  // namespace heed_own_code
}  // namespace heed::detail
