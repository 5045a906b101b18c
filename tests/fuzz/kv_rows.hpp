// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "fuzz/choices.hpp"
#include "heed/types.hpp"
#include "support/random.hpp"

namespace heed::test::fuzz {

inline constexpr float special_numbers[] = {0.0F,
                                            -0.0F,
                                            1e-40F,
                                            -1e-38F,
                                            65504.0F,
                                            65520.0F,
                                            3e38F,
                                            std::numeric_limits<float>::max(),
                                            std::numeric_limits<float>::infinity(),
                                            -std::numeric_limits<float>::infinity(),
                                            std::numeric_limits<float>::quiet_NaN()};

/// Rows [1, heads, tokens, dim] in memory that ends with the last of them.
struct Rows {
  std::vector<float> numbers;
  ConstTensor tensor;

  Rows(Choices& choices, std::uint32_t heads, std::uint32_t tokens, std::uint32_t dim) {
    const std::size_t step = choices.below(4) == 0 ? 0 : dim + choices.below(3);
    const std::size_t head_step = step * (tokens - 1) + dim + choices.below(3);
    const bool repeated = choices.below(8) == 0;
    const std::size_t count = (repeated ? 0 : (heads - 1) * head_step) + (tokens - 1) * step + dim;
    Random random(choices.byte());
    numbers = random.normals(count, std::ldexp(1.0F, static_cast<int>(choices.below(40)) - 20));
    for (std::uint32_t specials = choices.below(4); specials > 0; --specials) {
      numbers[random.bits() % count] = special_numbers[choices.below(std::size(special_numbers))];
    }
    tensor = {numbers.data(), 0, repeated ? 0 : static_cast<std::ptrdiff_t>(head_step),
              static_cast<std::ptrdiff_t>(step)};
  }
};

}  // namespace heed::test::fuzz
