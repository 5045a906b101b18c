// SPDX-License-Identifier: MIT
//
// The points on the circle that pairs of columns are rotated to.
#pragma once

#include <cstdint>

#include "heed/detail/phase.hpp"

namespace heed::detail {

/// The cosines and sines, times `factor`, of the phases that `count` pairs, 1..16, have at a position.
inline void rotary_points(const Phase* steps, std::uint32_t position, std::uint32_t count, float factor, float* cosines,
                          float* sines) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    const SineCosine point = sine_cosine(phase_at(steps[i], position));
    cosines[i] = point.cosine * factor;
    sines[i] = point.sine * factor;
  }
}

}  // namespace heed::detail
