// SPDX-License-Identifier: MIT
//
// The port's quotient, minimum and choice on pairs of all kinds of numbers, against the same operation on single
// floats.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <port.hpp>
#include <vector>

#include "support/floats.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

bool is_subnormal(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL;
}

struct Pair {
  float a[port::lanes];
  float b[port::lanes];
};

/// Every pair of some special numbers, then pairs of random bit patterns and pairs of like magnitude.
std::vector<Pair> pairs() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const float special[] = {0.0F,   -0.0F,    1.0F,      -1.0F, 3.0F,      0.1F,       -1e30F,    1e30F,
                           1e-30F, infinity, -infinity, nan,   0x1p-126F, -0x1p-126F, 0x1p-149F, -0x1p-130F};
  std::vector<Pair> result;
  for (const float a : special) {
    Pair pair;
    for (int i = 0; i < port::lanes; ++i) pair.a[i] = a;
    std::memcpy(pair.b, special, sizeof pair.b);
    result.push_back(pair);
  }
  Random random(7);
  for (int n = 0; n < 20000; ++n) {
    Pair pair;
    for (int i = 0; i < port::lanes; ++i) {
      const std::uint64_t bits = random.bits();
      std::uint32_t low = static_cast<std::uint32_t>(bits);
      std::uint32_t high = static_cast<std::uint32_t>(bits >> 32);
      if (n % 2 == 0) {
        low = (low & 0x83FFFFFFU) | 0x3C000000U;
        high = (high & 0x83FFFFFFU) | 0x3C000000U;
      }
      std::memcpy(&pair.a[i], &low, sizeof low);
      std::memcpy(&pair.b[i], &high, sizeof high);
    }
    result.push_back(pair);
  }
  return result;
}

TEST(Lanes, QuotientIsThatOfSingleFloats) {
  float quotient[port::lanes];
  for (const Pair& pair : pairs()) {
    port::store(quotient, port::div(port::load(pair.a), port::load(pair.b)));
    for (int i = 0; i < port::lanes; ++i) {
      const float expected = pair.a[i] / pair.b[i];
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(quotient[i])) << pair.a[i] << " / " << pair.b[i];
      } else {
        ASSERT_EQ(bits_of(quotient[i]), bits_of(expected)) << pair.a[i] << " / " << pair.b[i];
      }
    }
  }
}

TEST(Lanes, MinimumAndMaximum) {
  float smaller[port::lanes];
  float greater[port::lanes];
  const bool flushed = flushes_subnormals();
  for (const Pair& pair : pairs()) {
    port::store(smaller, port::min(port::load(pair.a), port::load(pair.b)));
    port::store(greater, port::max(port::load(pair.a), port::load(pair.b)));
    for (int i = 0; i < port::lanes; ++i) {
      const float a = pair.a[i];
      const float b = pair.b[i];
      if (std::isnan(b)) {
        ASSERT_TRUE(std::isnan(smaller[i]) && std::isnan(greater[i])) << a;
      } else if (!std::isnan(a) && !(flushed && (is_subnormal(a) || is_subnormal(b)))) {
        ASSERT_EQ(smaller[i], a < b ? a : b) << a << ' ' << b;
        ASSERT_EQ(greater[i], a > b ? a : b) << a << ' ' << b;
        if (a != b) {
          ASSERT_EQ(bits_of(smaller[i]), bits_of(a < b ? a : b)) << a << " " << b;
        }
      }
    }
  }
}

TEST(Lanes, ChoiceKeepsEveryBit) {
  // Not a number, a subnormal and a negative zero among what is chosen: they must come out as they went in.
  const float yes[port::lanes] = {
      1, 2, std::numeric_limits<float>::quiet_NaN(), 0x1p-149F, -0.0F, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const float no[port::lanes] = {
      -1,  -2,  0x1p-140F, -0.0F, std::numeric_limits<float>::infinity(), -6, -7, -8, -9, -10, -11, -12,
      -13, -14, -15,       -16};
  float chosen[port::lanes];
  const bool flushed = flushes_subnormals();
  for (const Pair& pair : pairs()) {
    port::store(chosen, port::where_less(port::load(pair.a), port::load(pair.b), port::load(yes), port::load(no)));
    for (int i = 0; i < port::lanes; ++i) {
      const float a = flushed && is_subnormal(pair.a[i]) ? 0.0F : pair.a[i];
      const float b = flushed && is_subnormal(pair.b[i]) ? 0.0F : pair.b[i];
      ASSERT_EQ(bits_of(chosen[i]), bits_of(a < b ? yes[i] : no[i])) << a << ' ' << b;
    }
  }
}

}  // namespace
}  // namespace heed::test
