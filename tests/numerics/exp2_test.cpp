// SPDX-License-Identifier: MIT
//
// The exponential of the softmax over every float it can be given.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <kernels/exp2.hpp>
#include <limits>
#include <numbers>

#include "math/functions.hpp"
#include "support/effort.hpp"
#include "support/floats.hpp"

namespace heed::test {
namespace {

void exp2_of(const float (&x)[16], float (&y)[16]) {
  port::store(y, detail::exp2_nonpositive(port::load(x)));
}

float exp2_of(float x) {
  float in[16];
  float out[16];
  std::fill(in, in + 16, x);
  exp2_of(in, out);
  return out[0];
}

constexpr std::uint32_t minus_zero = 0x80000000U;
constexpr std::uint32_t minus_infinity_bits = 0xFF800000U;

TEST(Exp2, EveryFloatFromZeroDownIsAccurateAndMonotone) {
  double worst = 0;
  float previous = 1.0F;
  float x[16];
  float y[16];
  std::uint64_t decreases = 0;
  const bool flushed = flushes_subnormals();
  const std::uint32_t divisor = case_divisor();
  const std::uint32_t step = 16 * divisor * divisor;  // squared: there are 2^26 vectors
  for (std::uint32_t bits = minus_zero; bits < minus_infinity_bits; bits += step) {
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = from_bits(bits + i);
    exp2_of(x, y);
    for (int i = 0; i < 16; ++i) {
      decreases += y[i] > previous ? 1 : 0;
      previous = y[i];
      if (x[i] <= detail::exp2_cutoff) {
        ASSERT_EQ(y[i], 0.0F) << x[i];
        continue;
      }
      // Most floats are close to zero; there two terms of the series are exact to 2^-41.
      const double exact = x[i] > -0x1p-20F ? 1.0 + x[i] * std::numbers::ln2 : std::exp2(static_cast<double>(x[i]));
      if (flushed && exact < 0x1p-126 && y[i] == 0.0F) continue;
      // The unit in the last place of the binade that `exact` lies in.
      std::uint64_t exponent;
      std::memcpy(&exponent, &exact, sizeof exact);
      exponent = (exponent & 0x7FF0000000000000U) - (std::uint64_t{23} << 52);
      double unit;
      std::memcpy(&unit, &exponent, sizeof unit);
      unit = std::max(unit, 0x1p-149);
      worst = std::max(worst, std::abs(y[i] - exact) / unit);
    }
  }
  std::printf("largest error %.4f units in the last place\n", worst);
  EXPECT_LE(worst, 0.93);
  EXPECT_EQ(decreases, 0U);
}

TEST(Exp2, SpecialValues) {
  EXPECT_EQ(exp2_of(0.0F), 1.0F);
  EXPECT_EQ(exp2_of(-0.0F), 1.0F);
  EXPECT_EQ(exp2_of(-1.0F), 0.5F);
  EXPECT_EQ(exp2_of(-126.0F), 0x1p-126F);
  EXPECT_EQ(exp2_of(detail::exp2_cutoff), 0.0F);
  EXPECT_EQ(exp2_of(-std::numeric_limits<float>::infinity()), 0.0F);
  EXPECT_EQ(exp2_of(std::numeric_limits<float>::lowest()), 0.0F);
  for (const std::uint32_t nan : {0x7FC00000U, 0x7F800001U, 0xFFC00001U, 0xFFFFFFFFU, 0x7FC001FFU}) {
    EXPECT_TRUE(std::isnan(exp2_of(from_bits(nan)))) << nan;
  }
}

TEST(Logarithm, IsAccurateOverItsRange) {
  const std::uint32_t step = 97 * case_divisor();
  for (std::uint32_t bits = 0x00800000U; bits < 0x7F800000U; bits += step) {
    const float x = from_bits(bits);
    const double exact = std::log(static_cast<double>(x));
    ASSERT_LE(std::abs(detail::logarithm(x) - exact), std::max(6e-8, 1.2e-7 * std::abs(exact))) << x;
  }
  EXPECT_EQ(detail::logarithm(1.0F), 0.0F);
  EXPECT_EQ(detail::logarithm(0.0F), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(detail::logarithm(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace heed::test
