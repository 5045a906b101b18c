// SPDX-License-Identifier: MIT
//
// The error function and its complement over every float.
#include <gtest/gtest.h>

#include <limits>

#include "math/functions.hpp"
#include "support/effort.hpp"
#include "support/floats.hpp"

namespace heed::test {
namespace {

using Function = port::f32x16 (*)(const port::f32x16&);

port::f32x16 erf_of_lanes(const port::f32x16& x) {
  return detail::erf_lanes(x);
}

port::f32x16 erfc_of_lanes(const port::f32x16& x) {
  return detail::erfc_of_magnitude(x);
}

template <Function function>
float value_of(float x) {
  float y[16];
  port::store(y, function(port::set(x)));
  return y[0];
}

/// erf(x) of a positive number: two terms of the series where they do.
double exact_erf(double x) {
  return x < 0x1p-12 ? 1.1283791670955126 * (x - x * x * x / 3) : std::erf(x);
}

TEST(Erf, EveryFloatIsAccurateOddAndWithinOne) {
  Worst worst;
  float x[16];
  float y[16];
  float negative[16];
  const bool flushed = flushes_subnormals();
  const std::uint32_t divisor = case_divisor();
  const std::uint32_t step = 16 * divisor * divisor;  // squared: there are 2^27 vectors
  for (std::uint32_t bits = 0; bits < infinity_bits; bits += step) {
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = from_bits(bits + i);
    port::store(y, erf_of_lanes(port::load(x)));
    port::store(negative, erf_of_lanes(port::mul(port::set(-1.0F), port::load(x))));
    for (int i = 0; i < 16; ++i) {
      ASSERT_EQ(bits_of(negative[i]), bits_of(y[i]) ^ sign_bit) << x[i];
      ASSERT_LE(y[i], 1.0F) << x[i];
      if (x[i] >= 3.9193F) {
        ASSERT_EQ(y[i], 1.0F) << x[i];
      } else if (!flushed || x[i] >= 0x1p-126F) {
        worst.add(units_off(y[i], exact_erf(x[i])), x[i]);
      }
    }
  }
  std::printf("largest error %.4f units in the last place, at %.9g\n", worst.off, static_cast<double>(worst.at));
  EXPECT_LE(worst.off, 2.46);
}

TEST(Erfc, EveryFloatFromZeroUpIsAccurate) {
  Worst worst;
  float x[16];
  float y[16];
  const std::uint32_t divisor = case_divisor();
  const std::uint32_t step = 16 * divisor * divisor;
  for (std::uint32_t bits = 0; bits < infinity_bits; bits += step) {
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = from_bits(bits + i);
    port::store(y, erfc_of_lanes(port::load(x)));
    for (int i = 0; i < 16; ++i) {
      if (x[i] > detail::erfc_cutoff) {
        ASSERT_EQ(bits_of(y[i]), 0U) << x[i];
      } else {
        // Near 0 two terms of the series are exact to 2^-59.
        const double t = x[i];
        const double exact = t < 0x1p-20 ? 1 - 1.1283791670955126 * t : std::erfc(t);
        worst.add(units_off(y[i], exact) / (1 + t * t / 2), x[i]);
      }
    }
  }
  std::printf("largest error %.4f units in the last place per 1 + x^2 / 2, at %.9g\n", worst.off,
              static_cast<double>(worst.at));
  EXPECT_LE(worst.off, 3.7);
}

TEST(Erf, SpecialValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bits_of(value_of<erf_of_lanes>(0.0F)), 0U);
  EXPECT_EQ(bits_of(value_of<erf_of_lanes>(-0.0F)), sign_bit);
  EXPECT_EQ(value_of<erf_of_lanes>(infinity), 1.0F);
  EXPECT_EQ(value_of<erf_of_lanes>(-infinity), -1.0F);
  EXPECT_EQ(value_of<erf_of_lanes>(std::numeric_limits<float>::max()), 1.0F);
  EXPECT_EQ(value_of<erfc_of_lanes>(0.0F), 1.0F);
  EXPECT_EQ(value_of<erfc_of_lanes>(infinity), 0.0F);
  for (const std::uint32_t nan : nan_bits) {
    EXPECT_TRUE(std::isnan(value_of<erf_of_lanes>(from_bits(nan)))) << nan;
    EXPECT_TRUE(std::isnan(value_of<erfc_of_lanes>(from_bits(nan)))) << nan;
  }
}

}  // namespace
}  // namespace heed::test
