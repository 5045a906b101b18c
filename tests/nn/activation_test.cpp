// SPDX-License-Identifier: MIT
#include "nn/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "heed/nn.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

constexpr Activation kinds[] = {Activation::relu, Activation::gelu_tanh, Activation::gelu_erf, Activation::silu};
constexpr float infinity = std::numeric_limits<float>::infinity();

/// The naive definitions.
double twin(Activation kind, double x) {
  switch (kind) {
    case Activation::relu: return std::max(x, 0.0);
    case Activation::gelu_tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu: return x / (1 + std::exp(-x));
  }
  return 0;
}

float value_of(Activation kind, float x) {
  detail::map_activation(kind, &x, nullptr, 1, &x);
  return x;
}

TEST(Activation, IsItsDefinition) {
  Random random(21);
  for (const Activation kind : kinds) {
    for (int i = 0; i < 4000; ++i) {
      const float x = random.normal() * 3.0F;
      ASSERT_NEAR(value_of(kind, x), twin(kind, x), 3e-7 * std::max(1.0F, std::abs(x))) << x;
    }
  }
}

/// What an activation in integers does to a number, in 64-bit integers.
double integer_twin(Activation kind, float x) {
  if (kind == Activation::relu) return std::max(x, 0.0F);
  const auto shifted = [](std::int64_t number, int bits) { return (number + (std::int64_t{1} << (bits - 1))) >> bits; };
  const double size = std::abs(double{x});
  std::int64_t d;
  if (kind == Activation::silu) {
    d = shifted(static_cast<std::int64_t>(std::nearbyint(std::min(size * 256, 2839.0))) * 1477, 10);
  } else {
    const auto number = static_cast<std::int64_t>(std::nearbyint(std::min(size * 512, 2047.0)));
    d = shifted(number * shifted(4828081 + 843 * shifted(number * number, 10), 12), 10);
  }
  const std::int64_t f = d % 256;
  const std::int64_t divisor = 16384 + (((std::int64_t{1} << 22) - f * (11008 - 11 * f)) >> (8 + d / 256));
  const std::int64_t share = (2 * 134218640 + divisor) / (2 * divisor);
  return double{x} * static_cast<double>(x < 0 ? 8192 - share : share) / 8192;
}

float integer_value_of(Activation kind, float x) {
  detail::map_integer_activation(kind, &x, nullptr, 1, &x);
  return x;
}

/// The product with x is rounded once; every step before it is exact.
TEST(Activation, InIntegersIsItsDefinitionAndCloseToTheFloats) {
  Random random(25);
  for (const Activation kind : kinds) {
    double greatest = 0.0;
    for (int i = -20000; i < 20000; ++i) {
      const float x = i % 2 == 0 ? static_cast<float>(i) * 0x1p-10F : random.normal() * 4.0F;
      ASSERT_EQ(integer_value_of(kind, x), static_cast<float>(integer_twin(kind, x))) << x;
      greatest = std::max(greatest, std::abs(integer_value_of(kind, x) - twin(kind, x)));
    }
    EXPECT_LT(greatest, kind == Activation::silu ? 1.6e-3 : 1e-3);
    EXPECT_EQ(greatest > 0.0, kind != Activation::relu);
  }
}

TEST(Activation, InIntegersGatesLimitsAndNotANumber) {
  for (const Activation kind : kinds) {
    EXPECT_EQ(integer_value_of(kind, -infinity), 0.0F);
    EXPECT_EQ(integer_value_of(kind, infinity), infinity);
    EXPECT_EQ(integer_value_of(kind, std::numeric_limits<float>::max()), std::numeric_limits<float>::max());
    EXPECT_EQ(integer_value_of(kind, std::numeric_limits<float>::lowest()), 0.0F);
    EXPECT_FALSE(std::signbit(integer_value_of(kind, 0.0F)));
    EXPECT_TRUE(std::signbit(integer_value_of(kind, -0.0F)));
    EXPECT_TRUE(std::isnan(integer_value_of(kind, std::numeric_limits<float>::quiet_NaN())));
    Random random(26);
    for (std::uint32_t count = 1; count <= 40; ++count) {
      const std::vector<float> gate = random.normals(count, 4.0F);
      const std::vector<float> values = random.normals(count + 1);
      std::vector<float> found = values;
      detail::map_integer_activation(kind, gate.data(), found.data(), count, found.data());
      for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(found[i], integer_value_of(kind, gate[i]) * values[i]);
      ASSERT_EQ(found[count], values[count]);
    }
  }
}

TEST(Activation, LimitsAndNotANumber) {
  for (const Activation kind : kinds) {
    const float at_minus_infinity = value_of(kind, -infinity);
    EXPECT_EQ(at_minus_infinity, 0.0F);
    EXPECT_EQ(std::signbit(at_minus_infinity), kind != Activation::relu);
    EXPECT_EQ(value_of(kind, infinity), infinity);
    EXPECT_EQ(value_of(kind, std::numeric_limits<float>::max()), std::numeric_limits<float>::max());
    EXPECT_EQ(value_of(kind, std::numeric_limits<float>::lowest()), 0.0F);
    EXPECT_FALSE(std::signbit(value_of(kind, 0.0F)));
    EXPECT_TRUE(std::signbit(value_of(kind, -0.0F)));
    for (const std::uint32_t bits : {0x7FC00000U, 0x7F800001U, 0xFFC00001U}) {
      float nan;
      std::memcpy(&nan, &bits, sizeof nan);
      EXPECT_TRUE(std::isnan(value_of(kind, nan))) << bits;
    }
  }
}

/// Wherever a number stands in a row of any length, and whatever stands beside it.
TEST(Activation, EveryNumberIsTakenAlone) {
  Random random(22);
  for (const Activation kind : kinds) {
    for (std::uint32_t count = 1; count <= 70; ++count) {
      const std::vector<float> x = random.normals(count, 4.0F);
      std::vector<float> row = x;
      row.push_back(-7.0F);
      detail::map_activation(kind, row.data(), nullptr, count, row.data());
      for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(row[i], value_of(kind, x[i])) << count << ' ' << i;
      ASSERT_EQ(row[count], -7.0F);
    }
  }
}

TEST(Activation, RowsKeepTheirStride) {
  Random random(23);
  for (const Activation kind : kinds) {
    const std::vector<float> before = random.normals(5 * 40);
    std::vector<float> x = before;
    ASSERT_EQ(activate(kind, {x.data() + 4 * 40, 0, -40}, 5, 37), Status::ok);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(x[i], i % 40 < 37 ? value_of(kind, before[i]) : before[i]) << i;
    }
  }
}

TEST(Activation, AGateMultiplies) {
  Random random(24);
  for (const Activation kind : kinds) {
    for (const std::uint32_t dim : {1U, 15U, 16U, 17U, 33U, 64U, 100U}) {
      // Two halves of the same rows, as one projection leaves them.
      const std::vector<float> before = random.normals(std::size_t{3} * 2 * dim);
      std::vector<float> x = before;
      const auto stride = static_cast<std::ptrdiff_t>(2 * dim);
      ASSERT_EQ(gated(kind, {x.data(), 0, stride}, {x.data() + dim, 0, stride}, 3, dim), Status::ok);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool is_gate = i % (2 * dim) < dim;
        ASSERT_EQ(x[i], is_gate ? before[i] : value_of(kind, before[i - dim]) * before[i]) << dim << ' ' << i;
      }
      std::vector<float> squared = before;
      ASSERT_EQ(gated(kind, dense(squared.data(), 1, dim), dense(squared.data(), 1, dim), 1, dim), Status::ok);
      for (std::size_t i = 0; i < dim; ++i) ASSERT_EQ(squared[i], value_of(kind, before[i]) * before[i]) << i;
    }
  }
}

}  // namespace
}  // namespace heed::test
