// SPDX-License-Identifier: MIT
//
// The square root of the normalizations over every float.
#include <gtest/gtest.h>

#include <limits>

#include "math/functions.hpp"
#include "support/effort.hpp"
#include "support/floats.hpp"

namespace heed::test {
namespace {

/// Whether x lies between the squares of the numbers halfway to the neighbours of y. These have 25 bits, and doubles
/// hold their squares exactly.
bool is_nearest_root(float y, float x) {
  const double below = (static_cast<double>(y) + from_bits(bits_of(y) - 1)) / 2;
  const double above = (static_cast<double>(y) + from_bits(bits_of(y) + 1)) / 2;
  return below * below <= x && x <= above * above;
}

TEST(SquareRoot, EveryFloatIsCorrectlyRounded) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t bits = 1; bits < infinity_bits; bits += divisor * divisor) {
    const float x = from_bits(bits);
    if (!is_nearest_root(detail::square_root(x), x)) FAIL() << x;
  }
}

TEST(SquareRoot, SpecialValues) {
  EXPECT_EQ(bits_of(detail::square_root(0.0F)), 0U);
  EXPECT_EQ(bits_of(detail::square_root(-0.0F)), sign_bit);
  EXPECT_EQ(detail::square_root(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(detail::square_root(-1.0F)));
  for (const std::uint32_t nan : nan_bits) EXPECT_TRUE(std::isnan(detail::square_root(from_bits(nan)))) << nan;
}

}  // namespace
}  // namespace heed::test
