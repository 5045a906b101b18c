// SPDX-License-Identifier: MIT
//
// Rotary positions once more: in long double, with logarithms, as the papers and Hugging Face's transformers write
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "heed/positions.hpp"

namespace heed::test {

inline const long double pi = std::acos(-1.0L);

/// The index at which a pair makes so many rotations over the original context, as a real number.
inline long double correction_index(const RotaryConfig& c, long double rotations) {
  return c.rotary_dim * std::log(c.original_max_position / (rotations * 2 * pi)) /
         (2 * std::log(static_cast<long double>(c.base)));
}

/// Radians per position of every pair; c is a plan's config.
inline std::vector<long double> reference_frequencies(const RotaryConfig& c) {
  const long double factor = c.scaling_factor;
  long double base = c.base;
  if (c.scaling == RotaryScaling::ntk)
    base *= std::pow(factor, static_cast<long double>(c.rotary_dim) / (c.rotary_dim - 2.0L));
  const long double first = std::max(std::floor(correction_index(c, c.beta_fast)), 0.0L);
  const long double last = std::min(std::ceil(correction_index(c, c.beta_slow)), c.rotary_dim - 1.0L);
  std::vector<long double> result;
  for (std::uint32_t i = 0; i < c.rotary_dim / 2; ++i) {
    long double f = std::pow(base, -2.0L * i / c.rotary_dim);
    if (c.scaling == RotaryScaling::linear) f /= factor;
    if (c.scaling == RotaryScaling::yarn) {
      const long double end = first == last ? last + 0.001L : last;
      const long double ramp = std::clamp((i - first) / (end - first), 0.0L, 1.0L);
      f = f / factor * ramp + f * (1 - ramp);
    }
    if (c.scaling == RotaryScaling::llama3) {
      const long double wavelength = 2 * pi / f;
      const long double low = c.low_freq_factor;
      const long double high = c.high_freq_factor;
      const long double smooth = (c.original_max_position / wavelength - low) / (high - low);
      if (wavelength > c.original_max_position / low) {
        f /= factor;
      } else if (wavelength >= c.original_max_position / high) {
        f = (1 - smooth) * f / factor + smooth * f;
      }
    }
    result.push_back(f);
  }
  return result;
}

/// The columns of pair i.
struct Columns {
  std::uint32_t first, second;
};

inline Columns columns_of(const RotaryConfig& c, std::uint32_t i) {
  if (c.layout == RotaryLayout::interleaved) return {2 * i, 2 * i + 1};
  return {i, i + c.rotary_dim / 2};
}

}  // namespace heed::test
