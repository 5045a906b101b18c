// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "heed/positions.hpp"

namespace {

using heed::SinusoidLayout;
using heed::Status;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// A long double of 53 bits resolves the angles of positions below 2^20, one of 64 bits those of all positions.
constexpr bool precise_reference = LDBL_MANT_DIG >= 64;
const long double unit = std::ldexp(1.0L, -24);

std::vector<float> encode(std::uint32_t rows, std::uint32_t dim, std::uint32_t first, SinusoidLayout order,
                          float base) {
  std::vector<float> x(std::size_t{rows} * dim, 0.0F);
  EXPECT_EQ(heed::add_sinusoidal_positions(heed::dense(x.data(), rows, dim), rows, dim, first, order, base),
            Status::ok);
  return x;
}

std::vector<long double> frequencies(std::uint32_t dim, float base) {
  std::vector<long double> result;
  for (std::uint32_t i = 0; 2 * i < dim; ++i) {
    result.push_back(std::pow(static_cast<long double>(base), -2.0L * i / dim));
  }
  return result;
}

// The greatest error over all columns at one position, in units of 2^-24.
long double greatest_error(std::uint32_t position, std::uint32_t dim, float base,
                           std::span<const long double> frequency) {
  const std::vector<float> row = encode(1, dim, position, SinusoidLayout::interleaved, base);
  long double greatest = 0.0L;
  for (std::uint32_t column = 0; column < dim; ++column) {
    const long double angle = frequency[column / 2] * position;
    const long double exact = column % 2 == 0 ? std::sin(angle) : std::cos(angle);
    greatest = std::max(greatest, std::fabs(row[column] - exact) / unit);
  }
  return greatest;
}

constexpr std::array bases{10000.0F, 500000.0F, 2.0F, 1.5F, 1e6F, 1.0000001F, 3.4e38F};

TEST(SinusoidalPositions, AreRoundedOnceBelowPositionTwoToTheTwenty) {
  long double greatest = 0.0L;
  for (const float base : bases) {
    for (const std::uint32_t dim : {1U, 2U, 3U, 4U, 6U, 7U, 64U, 65U, 128U, 511U}) {
      const std::vector<long double> frequency = frequencies(dim, base);
      for (std::uint32_t position = dim; position < 1U << 20; position += 8191) {
        greatest = std::max(greatest, greatest_error(position, dim, base, frequency));
      }
    }
  }
  RecordProperty("error_in_units_of_2^-24", std::to_string(greatest));
  EXPECT_LE(greatest, precise_reference ? 0.5005L : 1.0L);
}

TEST(SinusoidalPositions, StayWithinTheirBoundUpToTheLastPosition) {
  if (!precise_reference) GTEST_SKIP() << "long double cannot resolve these angles";
  long double greatest = 0.0L;
  for (const float base : bases) {
    for (const std::uint32_t dim : {2U, 5U, 64U, 300U}) {
      const std::vector<long double> frequency = frequencies(dim, base);
      for (std::uint64_t back = 0; back < 1ULL << 32; back += 67108859) {
        const std::uint32_t position = UINT32_MAX - static_cast<std::uint32_t>(back);
        greatest = std::max(greatest, greatest_error(position, dim, base, frequency));
      }
    }
  }
  RecordProperty("error_in_units_of_2^-24", std::to_string(greatest));
  EXPECT_LE(greatest, 1.0L);
}

void expect_close(std::span<const float> values, std::span<const double> expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], expected[k], 6e-8) << "element " << k;
}

TEST(SinusoidalPositions, MatchTheStandardEncodingOfFourColumns) {
  constexpr double expected[] = {
      0.0,
      1.0,
      0.0,
      1.0,  //
      0.8414709848078965,
      0.5403023058681398,
      0.009999833334166664,
      0.9999500004166653,  //
      0.9092974268256817,
      -0.4161468365471424,
      0.01999866669333308,
      0.9998000066665778,
  };
  expect_close(encode(3, 4, 0, SinusoidLayout::interleaved, 10000.0F), expected);
}

TEST(SinusoidalPositions, MatchTheStandardEncodingOfSixColumnsInBothOrders) {
  constexpr double sines_and_cosines[7][3][2] = {
      {{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}},
      {{0.8414709848078965, 0.5403023058681398},
       {0.046399223464731285, 0.9989229760406304},
       {0.0021544330233656045, 0.9999976792064809}},
      {{0.9092974268256817, -0.4161468365471424},
       {0.09269850077872725, 0.9956942241237399},
       {0.0043088560467428125, 0.9999907168366957}},
      {{0.1411200080598672, -0.9899924966004454},
       {0.13879810108005056, 0.990320699135675},
       {0.006463259070189646, 0.9999791129229608}},
      {{-0.7568024953079282, -0.6536436208636119},
       {0.18459872362061747, 0.9828139759067526},
       {0.008617632093856952, 0.9999628675191369}},
      {{-0.9589242746631385, 0.28366218546322625},
       {0.23000171166476746, 0.9731902242785205},
       {0.010771965118034833, 0.9999419806007283}},
      {{-0.27941549819892586, 0.960170286650366},
       {0.27490926500059953, 0.9614701742731442},
       {0.012926248143199044, 0.9999164525643832}},
  };
  std::vector<double> interleaved;
  std::vector<double> halves;
  for (const auto& row : sines_and_cosines) {
    for (const auto& pair : row) interleaved.insert(interleaved.end(), {pair[0], pair[1]});
    for (const auto& pair : row) halves.push_back(pair[0]);
    for (const auto& pair : row) halves.push_back(pair[1]);
  }
  expect_close(encode(7, 6, 0, SinusoidLayout::interleaved, 10000.0F), interleaved);
  expect_close(encode(7, 6, 0, SinusoidLayout::halves, 10000.0F), halves);
}

TEST(SinusoidalPositions, OfAnOddDimHaveOneSineMore) {
  for (const std::uint32_t dim : {1U, 3U, 5U, 33U, 77U}) {
    const std::uint32_t sines = (dim + 1) / 2;
    const std::vector<float> interleaved = encode(1, dim, 41, SinusoidLayout::interleaved, 10000.0F);
    const std::vector<float> halves = encode(1, dim, 41, SinusoidLayout::halves, 10000.0F);
    for (std::uint32_t i = 0; i < sines; ++i) {
      const double angle = 41.0 * std::pow(10000.0, -2.0 * i / dim);
      EXPECT_NEAR(interleaved[2 * i], std::sin(angle), 6e-8);
      EXPECT_EQ(halves[i], interleaved[2 * i]);
      if (i + 1 < sines) {
        EXPECT_EQ(halves[sines + i], interleaved[2 * i + 1]);
      }
    }
  }
}

TEST(SinusoidalPositions, DoNotDependOnTheRowsGivenTogether) {
  const std::vector<float> together = encode(9, 70, 1000, SinusoidLayout::interleaved, 10000.0F);
  for (std::uint32_t row = 0; row < 9; ++row) {
    const std::vector<float> alone = encode(1, 70, 1000 + row, SinusoidLayout::interleaved, 10000.0F);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + 70 * row));
  }
}

TEST(SinusoidalPositions, AreAddedInPlaceAlongTheRowStride) {
  const std::vector<float> encoding = encode(3, 5, 7, SinusoidLayout::halves, 10000.0F);
  for (const std::ptrdiff_t stride : {8, -8}) {
    std::vector<float> x(3 * 8, 0.25F);
    float* const first = stride > 0 ? x.data() : x.data() + 2 * 8;
    ASSERT_EQ(heed::add_sinusoidal_positions({first, 0, stride}, 3, 5, 7, SinusoidLayout::halves), Status::ok);
    for (std::size_t row = 0; row < 3; ++row) {
      const float* const values = first + static_cast<std::ptrdiff_t>(row) * stride;
      for (std::size_t column = 0; column < 8; ++column) {
        EXPECT_EQ(values[column], column < 5 ? 0.25F + encoding[row * 5 + column] : 0.25F);
      }
    }
  }
}

TEST(SinusoidalPositions, RefuseBadArgumentsAndWriteNothing) {
  std::vector<float> x(64, 0.5F);
  const auto add = [&x](std::uint32_t rows, std::uint32_t dim, std::uint32_t first, std::ptrdiff_t stride,
                        float base = 10000.0F, std::uint8_t order = 0) {
    return heed::add_sinusoidal_positions({x.data(), 0, stride}, rows, dim, first, SinusoidLayout{order}, base);
  };
  EXPECT_EQ(heed::add_sinusoidal_positions({nullptr, 0, 4}, 1, 4), Status::null_pointer);
  EXPECT_EQ(add(0, 4, 0, 4), Status::zero_dimension);
  EXPECT_EQ(add(1, 0, 0, 4), Status::zero_dimension);
  EXPECT_EQ(add(1, 65537, 0, 65537), Status::too_large);
  EXPECT_EQ(add((1U << 30) + 1, 4, 0, 4), Status::too_large);
  EXPECT_EQ(add(2, 4, UINT32_MAX, 4), Status::too_large);
  EXPECT_EQ(add(2, 4, 0, 3), Status::bad_stride);
  EXPECT_EQ(add(2, 4, 0, 0), Status::bad_stride);
  EXPECT_EQ(add(2, 4, 0, -3), Status::bad_stride);
  EXPECT_EQ(add(2, 4, 0, PTRDIFF_MAX), Status::bad_stride);
  EXPECT_EQ(add(2, 4, 0, PTRDIFF_MIN), Status::bad_stride);
  EXPECT_EQ(add(1U << 30, 4, 0, PTRDIFF_MAX / 1024), Status::bad_stride);
  for (const float base : {1.0F, 0.5F, 0.0F, -2.0F, infinity, -infinity, not_a_number}) {
    EXPECT_EQ(add(1, 4, 0, 4, base), Status::bad_base);
  }
  EXPECT_EQ(add(1, 4, 0, 4, 10000.0F, 2), Status::bad_option);
  for (const float value : x) EXPECT_EQ(value, 0.5F);

  EXPECT_EQ(add(1, 4, UINT32_MAX, 0), Status::ok);  // one row: the last position, and the stride is never used
}

}  // namespace
