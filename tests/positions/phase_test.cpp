// SPDX-License-Identifier: MIT
#include "heed/detail/phase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "support/effort.hpp"

namespace {

constexpr std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

static_assert(heed::detail::multiply_high(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
static_assert(heed::detail::frequencies(10000.0F, 512).step(0) == heed::detail::radian);
static_assert(distance(heed::detail::frequencies(10000.0F, 4).step(1), heed::detail::radian / 100) < 16);
static_assert(distance(heed::detail::frequencies(65536.0F, 65536).step(16384), heed::detail::radian / 256) < 16);
static_assert(heed::detail::frequencies(std::numeric_limits<float>::max(), 64).step(31) == 0);
static_assert(heed::detail::sine_cosine(0).sine == 0.0F && heed::detail::sine_cosine(0).cosine == 1.0F);
static_assert(heed::detail::sine_cosine(std::uint64_t{1} << 62).sine == 1.0F);
static_assert(heed::detail::sine_cosine(std::uint64_t{1} << 62).cosine == 0.0F);
static_assert(heed::detail::sine_cosine(std::uint64_t{1} << 63).cosine == -1.0F);
static_assert(heed::detail::sine_cosine(std::uint64_t{1} << 61).sine == 0.707106781F);

TEST(Phase, StepsStayWithinTheirBound) {
  if (LDBL_MANT_DIG < 64) GTEST_SKIP() << "long double cannot resolve these steps";
  const heed::detail::Frequencies widest = heed::detail::frequencies(10000.0F, 65536);
  const long double radian = std::ldexp(1.0L, 63) / std::acos(-1.0L);
  long double greatest = 0.0L;
  for (std::uint32_t i = 0; i < 32768; i += 37) {
    const long double exact = radian * std::pow(10000.0L, -2.0L * i / 65536.0L);
    greatest = std::max(greatest, std::fabs(static_cast<long double>(widest.step(i)) - exact));
  }
  EXPECT_LT(greatest, 16.0L);  // 2^-60 of a turn
}

// Units in the last place of `exact`, which must not be 0.
long double units_in_last_place(float value, long double exact) {
  return std::fabs(value - exact) / std::ldexp(1.0L, std::ilogb(exact) - 23);
}

// The greater error of the two, in units in the last place. The angle is taken from the nearest quarter turn, so that
// the reference keeps its relative precision.
long double error_at(std::uint64_t phase) {
  const auto [sine, cosine] = heed::detail::sine_cosine(phase);
  const std::uint64_t quarter = (phase >> 61 & 7) / 2 + (phase >> 61 & 1);
  const auto rest = static_cast<std::int64_t>(phase - (quarter << 62));
  const long double angle = std::ldexp(2.0L * std::acos(-1.0L) * static_cast<long double>(rest), -64);
  const long double sines[] = {std::sin(angle), std::cos(angle), -std::sin(angle), -std::cos(angle)};
  return std::max(units_in_last_place(sine, sines[quarter % 4]), units_in_last_place(cosine, sines[(quarter + 1) % 4]));
}

TEST(Phase, SineAndCosineAreRoundedOnce) {
  long double greatest = 0.0L;
  const std::uint64_t stride = 0x00000FFFFFFFFC4D * std::min(heed::test::case_divisor(), 5U);  // about 2^20 phases
  for (std::uint64_t phase = 1; phase < UINT64_MAX - stride; phase += stride) {
    greatest = std::max(greatest, error_at(phase));
  }
  RecordProperty("error_in_last_place", std::to_string(greatest));
  EXPECT_LE(greatest, 0.5001L);
}

TEST(Phase, SineAndCosineKeepTheirPrecisionNextToEveryEighthTurn) {
  for (std::uint64_t octant = 0; octant < 8; ++octant) {
    for (int bit = 0; bit < 60; ++bit) {
      EXPECT_LE(error_at((octant << 61) + (std::uint64_t{1} << bit)), 0.5001L) << octant << " " << bit;
      EXPECT_LE(error_at((octant << 61) - (std::uint64_t{1} << bit)), 0.5001L) << octant << " " << bit;
    }
  }
}

TEST(Phase, SineAndCosineAreSymmetric) {
  for (std::uint64_t phase = 12345; phase < UINT64_MAX - (1ULL << 54); phase += 1ULL << 54) {
    const auto [sine, cosine] = heed::detail::sine_cosine(phase);
    const auto opposite = heed::detail::sine_cosine(0 - phase);
    const auto quarter_later = heed::detail::sine_cosine(phase + (1ULL << 62));
    EXPECT_EQ(opposite.sine, -sine);
    EXPECT_EQ(opposite.cosine, cosine);
    EXPECT_EQ(quarter_later.sine, cosine);
    EXPECT_EQ(quarter_later.cosine, -sine);
  }
}

}  // namespace
