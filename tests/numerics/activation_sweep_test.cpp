// SPDX-License-Identifier: MIT
//
// The activations over every float, against double precision.
#include <gtest/gtest.h>

#include "nn/activation.hpp"
#include "support/effort.hpp"
#include "support/floats.hpp"

namespace heed::test {
namespace {

/// What is exact, and what its rounding errors grow with: the natural exponent of the result's small factor.
struct Exact {
  double value;
  double exponent;
};

using Twin = Exact (*)(double x);

Exact gelu_tanh(double x) {
  const double twice = 2 * std::sqrt(2 / 3.141592653589793) * (x + 0.044715 * x * x * x);
  return {x / (1 + std::exp(-twice)), std::max(-twice, 0.0)};
}

Exact gelu_erf(double x) {
  return {x / 2 * std::erfc(-x * 0.7071067811865476), x < 0 ? x * x / 2 : 0};
}

Exact silu(double x) {
  return {x / (1 + std::exp(-x)), 0};
}

/// Errors in units of the last place stay below `units` * (1 + exponent / 2), except for the tail below -2^-119, where
/// a result may be 0.
void sweep(Activation kind, Twin twin, double units) {
  Worst positive;
  Worst negative;
  Worst absolute;
  float x[16];
  float y[16];
  const bool flushed = flushes_subnormals();
  const std::uint32_t divisor = case_divisor();
  // One vector in seven: what an activation is made of has been swept float by float. Squared: there are 2^28 vectors.
  const std::uint32_t step = 16 * 7 * divisor * divisor;
  for (const std::uint32_t sign : {0U, sign_bit}) {
    for (std::uint32_t bits = 0; bits < infinity_bits; bits += step) {
      for (std::uint32_t i = 0; i < 16; ++i) y[i] = x[i] = from_bits((bits + i) | sign);
      detail::map_activation(kind, y, nullptr, 16, y);
      for (int i = 0; i < 16; ++i) {
        // Most floats are close to zero; there every factor is 1/2 to 2^-29.
        const Exact exact = std::abs(x[i]) < 0x1p-30F ? Exact{x[i] / 2.0, 0} : twin(x[i]);
        absolute.add(std::abs(y[i] - exact.value) / std::max(std::abs(x[i]), 0x1p-100F), x[i]);
        if (x[i] < -1.0F && exact.value > -0x1p-119) {
          ASSERT_TRUE(std::signbit(y[i]) && y[i] >= -0x1p-119F) << x[i];
        } else if (!flushed || std::abs(x[i]) >= 0x1p-124F) {
          (sign == 0 ? positive : negative).add(units_off(y[i], exact.value) / (1 + exact.exponent / 2), x[i]);
        }
      }
    }
  }
  std::printf("above 0: %.4f units in the last place, at %.9g\n", positive.off, static_cast<double>(positive.at));
  std::printf("below 0: %.4f units per 1 + exponent / 2, at %.9g\n", negative.off, static_cast<double>(negative.at));
  std::printf("relative to the argument: %.4g\n", absolute.off);
  EXPECT_LE(std::max(positive.off, negative.off), units);
  EXPECT_LE(absolute.off, 1.6e-7);
}

TEST(Activations, GeluWithTanhIsAccurate) {
  sweep(Activation::gelu_tanh, gelu_tanh, 5.2);
}

TEST(Activations, GeluWithErfIsAccurate) {
  sweep(Activation::gelu_erf, gelu_erf, 9.0);
}

TEST(Activations, SiluIsAccurate) {
  sweep(Activation::silu, silu, 3.5);
}

TEST(Activations, ReluIsExact) {
  float x[16];
  float y[16];
  const bool flushed = flushes_subnormals();
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t bits = 0; bits <= infinity_bits - 16; bits += 16 * divisor) {
    for (std::uint32_t i = 0; i < 16; ++i) y[i] = x[i] = from_bits(bits + i);
    detail::map_activation(Activation::relu, y, nullptr, 16, y);
    ASSERT_EQ(std::memcmp(x, y, sizeof x), 0) << x[0];
    if (flushed && bits < 0x00800000U) continue;
    for (std::uint32_t i = 0; i < 16; ++i) y[i] = -x[i];
    detail::map_activation(Activation::relu, y, nullptr, 16, y);
    for (int i = 0; i < 16; ++i) ASSERT_EQ(bits_of(y[i]), x[i] == 0 ? sign_bit : 0U) << x[i];
  }
}

}  // namespace
}  // namespace heed::test
