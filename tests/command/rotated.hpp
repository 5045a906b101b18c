// SPDX-License-Identifier: MIT
//
// Rotary positions of a whole tensor, for tests of the desktop command.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heed/positions.hpp"
#include "positions/rotary_reference.hpp"

namespace heed::test {

/// [batch, heads, rows, head_dim] at positions [batch, rows]; `asked` may leave to its plan what has a default.
inline std::vector<float> rotated(const std::vector<float>& from, std::size_t batch, std::size_t heads,
                                  const std::vector<std::int64_t>& positions, const RotaryConfig& asked) {
  RotaryPlan plan;
  EXPECT_EQ(make_plan(asked, plan), Status::ok);
  const RotaryConfig& config = plan.config;
  const std::vector<long double> frequencies = reference_frequencies(config);
  std::vector<float> to = from;
  const std::size_t rows = positions.size() / batch;
  for (std::size_t row = 0; row < from.size() / config.head_dim; ++row) {
    const std::size_t b = row / rows / heads;
    const auto position = static_cast<double>(positions[b * rows + row % rows]);
    for (std::uint32_t i = 0; i < config.rotary_dim / 2; ++i) {
      const double angle = position * static_cast<double>(frequencies[i]);
      const double cosine = std::cos(angle) * static_cast<double>(config.attention_factor);
      const double sine = std::sin(angle) * static_cast<double>(config.attention_factor);
      const auto [first, second] = columns_of(config, i);
      const double x = from[row * config.head_dim + first];
      const double y = from[row * config.head_dim + second];
      to[row * config.head_dim + first] = static_cast<float>(x * cosine - y * sine);
      to[row * config.head_dim + second] = static_cast<float>(y * cosine + x * sine);
    }
  }
  return to;
}

}  // namespace heed::test
