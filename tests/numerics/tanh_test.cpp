// SPDX-License-Identifier: MIT
//
// The hyperbolic tangent of the softcap over every float.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/functions.hpp"
#include "support/effort.hpp"
#include "support/floats.hpp"

namespace heed::test {
namespace {

/// The results of sixteen numbers from `first` on, `step` bit patterns apart.
void tangents_of(std::uint32_t first, std::uint32_t step, float (&x)[16], float (&y)[16]) {
  for (std::uint32_t i = 0; i < 16; ++i) x[i] = from_bits(first + i * step);
  port::store(y, detail::tanh_lanes(port::load(x)));
}

float tangent_of(float x) {
  float y[16];
  port::store(y, detail::tanh_lanes(port::set(x)));
  return y[0];
}

/// tanh(x) of a positive number, off by less than 2^-45 relative: two terms of the series where they do.
double exact_tangent(double x) {
  return x < 0x1p-12 ? x - x * x * x / 3 : std::tanh(x);
}

TEST(Tanh, EveryFloatIsAccurateOddAndWithinOne) {
  Worst worst;
  float x[16];
  float y[16];
  float negative_x[16];
  float negative_y[16];
  const bool flushed = flushes_subnormals();
  const std::uint32_t divisor = case_divisor();
  const std::uint32_t step = 16 * divisor * divisor;  // squared: there are 2^27 vectors
  for (std::uint32_t bits = 0; bits < infinity_bits; bits += step) {
    tangents_of(bits, 1, x, y);
    tangents_of(bits | sign_bit, 1, negative_x, negative_y);
    for (int i = 0; i < 16; ++i) {
      ASSERT_EQ(bits_of(negative_y[i]), bits_of(y[i]) ^ sign_bit) << x[i];
      ASSERT_LE(y[i], 1.0F) << x[i];
      if (x[i] < 0x1p-126F) {
        ASSERT_EQ(bits_of(y[i]), flushed ? 0 : bits_of(x[i])) << x[i];
      } else if (x[i] < 0x1p-13F) {
        ASSERT_EQ(bits_of(y[i]), bits_of(x[i])) << x[i];
      } else if (x[i] >= 9.011F) {
        ASSERT_EQ(y[i], 1.0F) << x[i];
      } else {
        worst.add(units_off(y[i], exact_tangent(x[i])), x[i]);
      }
    }
  }
  std::printf("largest error %.4f units in the last place, at %.9g\n", worst.off, static_cast<double>(worst.at));
  EXPECT_LE(worst.off, 3.30);
}

TEST(Tanh, SpecialValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bits_of(tangent_of(0.0F)), 0U);
  EXPECT_EQ(bits_of(tangent_of(-0.0F)), sign_bit);
  EXPECT_EQ(tangent_of(infinity), 1.0F);
  EXPECT_EQ(tangent_of(-infinity), -1.0F);
  EXPECT_EQ(tangent_of(std::numeric_limits<float>::max()), 1.0F);
  for (const std::uint32_t nan : nan_bits) EXPECT_TRUE(std::isnan(tangent_of(from_bits(nan)))) << nan;
}

TEST(Tanh, SameBitsOnEveryPort) {
  // FNV-1a over results at a prime stride, which meets every low bit; normal numbers only.
  constexpr std::uint32_t stride = 997;
  std::uint64_t hash = 0xCBF29CE484222325U;
  float x[16];
  float y[16];
  for (std::uint32_t bits = bits_of(0x1p-126F); bits < infinity_bits - 16 * stride; bits += 16 * stride) {
    tangents_of(bits, stride, x, y);
    for (const float value : y) hash = (hash ^ bits_of(value)) * 0x100000001B3U;
  }
  EXPECT_EQ(hash, 0x128EA8B5E00CB5B1U) << std::hex << hash;
}

}  // namespace
}  // namespace heed::test
