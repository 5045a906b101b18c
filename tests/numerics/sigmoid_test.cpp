// SPDX-License-Identifier: MIT
//
// The sigmoid of the activations over every float.
#include <gtest/gtest.h>

#include <kernels/sigmoid.hpp>
#include <limits>

#include "support/effort.hpp"
#include "support/floats.hpp"

namespace heed::test {
namespace {

void sigmoids_of(std::uint32_t first, std::uint32_t step, float (&x)[16], float (&y)[16]) {
  for (std::uint32_t i = 0; i < 16; ++i) x[i] = from_bits(first + i * step);
  port::store(y, detail::sigmoid_lanes(port::load(x)));
}

float sigmoid_of(float x) {
  float y[16];
  port::store(y, detail::sigmoid_lanes(port::set(x)));
  return y[0];
}

/// Two terms of the series where they are exact to 2^-60.
double exact_sigmoid(double x) {
  return std::abs(x) < 0x1p-20 ? 0.5 + x / 4 : 1 / (1 + std::exp(-x));
}

TEST(Sigmoid, EveryFloatIsAccurate) {
  Worst worst;
  float x[16];
  float y[16];
  const std::uint32_t divisor = case_divisor();
  const std::uint32_t step = 16 * divisor * divisor;  // squared: there are 2^28 vectors
  for (const std::uint32_t sign : {0U, sign_bit}) {
    for (std::uint32_t bits = 0; bits < infinity_bits; bits += step) {
      sigmoids_of(bits | sign, 1, x, y);
      for (int i = 0; i < 16; ++i) {
        if (x[i] < -detail::sigmoid_cutoff) {
          ASSERT_EQ(bits_of(y[i]), 0U) << x[i];
        } else if (x[i] >= 17.33F) {
          ASSERT_EQ(y[i], 1.0F) << x[i];
        } else {
          ASSERT_GE(y[i], 0x1p-126F) << x[i];
          worst.add(units_off(y[i], exact_sigmoid(x[i])), x[i]);
        }
      }
    }
  }
  std::printf("largest error %.4f units in the last place, at %.9g\n", worst.off, static_cast<double>(worst.at));
  EXPECT_LE(worst.off, 2.43);
}

TEST(Sigmoid, SpecialValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(sigmoid_of(0.0F), 0.5F);
  EXPECT_EQ(sigmoid_of(-0.0F), 0.5F);
  EXPECT_EQ(sigmoid_of(infinity), 1.0F);
  EXPECT_EQ(bits_of(sigmoid_of(-infinity)), 0U);
  EXPECT_EQ(sigmoid_of(std::numeric_limits<float>::max()), 1.0F);
  for (const std::uint32_t nan : nan_bits) EXPECT_TRUE(std::isnan(sigmoid_of(from_bits(nan)))) << nan;
}

}  // namespace
}  // namespace heed::test
