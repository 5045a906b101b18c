// SPDX-License-Identifier: MIT
//
// The hyperbolic tangent of the softcap over every float.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
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

/// The distance from `exact`, positive, in units of the last place of its binade.
double units_off(float y, double exact) {
  std::uint64_t bits;
  std::memcpy(&bits, &exact, sizeof exact);
  bits = (bits & 0x7FF0000000000000U) - (std::uint64_t{23} << 52);
  double unit;
  std::memcpy(&unit, &bits, sizeof unit);
  return std::abs(y - exact) / std::max(unit, 0x1p-149);
}

TEST(Tanh, EveryFloatIsAccurateOddAndWithinOne) {
  double worst = 0;
  float worst_at = 0;
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
        const double off = units_off(y[i], exact_tangent(x[i]));
        if (off > worst) worst_at = x[i];
        worst = std::max(worst, off);
      }
    }
  }
  std::printf("largest error %.4f units in the last place, at %.9g\n", worst, static_cast<double>(worst_at));
  EXPECT_LE(worst, 3.30);
}

TEST(Tanh, SpecialValues) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bits_of(tangent_of(0.0F)), 0U);
  EXPECT_EQ(bits_of(tangent_of(-0.0F)), sign_bit);
  EXPECT_EQ(tangent_of(infinity), 1.0F);
  EXPECT_EQ(tangent_of(-infinity), -1.0F);
  EXPECT_EQ(tangent_of(std::numeric_limits<float>::max()), 1.0F);
  for (const std::uint32_t nan : {0x7FC00000U, 0x7F800001U, 0xFFC00001U, 0xFFFFFFFFU}) {
    EXPECT_TRUE(std::isnan(tangent_of(from_bits(nan)))) << nan;
  }
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
