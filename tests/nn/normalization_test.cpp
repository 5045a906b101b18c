// SPDX-License-Identifier: MIT
#include "nn/normalization.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "heed/nn.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

struct Row {
  std::vector<float> x, weight, bias;
  float epsilon = 1e-5F;
};

/// A row's numbers are `spread` around `center`.
Row random_row(std::uint32_t dim, std::uint64_t seed, float center = 0.0F, float spread = 1.0F) {
  Random random(seed);
  Row row{random.normals(dim, spread), random.normals(dim), random.normals(dim)};
  for (float& x : row.x) x += center;
  return row;
}

std::vector<float> run(const Row& row, bool with_bias, bool rms) {
  std::vector<float> y(row.x.size(), -7.0F);
  const auto dim = static_cast<std::uint32_t>(row.x.size());
  const std::span<const float> bias = with_bias ? std::span<const float>(row.bias) : std::span<const float>();
  const ConstMatrix input = dense(row.x.data(), 1, dim);
  EXPECT_EQ(rms ? rms_norm(input, 1, dim, row.weight, row.epsilon, dense(y.data(), 1, dim))
                : layer_norm(input, 1, dim, row.weight, bias, row.epsilon, dense(y.data(), 1, dim)),
            Status::ok);
  return y;
}

/// In double precision, and within the errors of sums of dim / 16 + 4 roundings.
void expect_near_twin(const Row& row, bool with_bias, bool rms) {
  const auto dim = static_cast<double>(row.x.size());
  double mean = 0;
  double greatest = 0;
  for (const float x : row.x) {
    mean += rms ? 0 : x / dim;
    greatest = std::max(greatest, std::abs(static_cast<double>(x)));
  }
  double variance = 0;
  for (const float x : row.x) variance += (x - mean) * (x - mean) / dim;
  const double factor = 1 / std::sqrt(variance + row.epsilon);
  const std::vector<float> y = run(row, with_bias, rms);
  const double roundings = (dim / 16 + 8) * 0x1p-24;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double scaled = (row.x[i] - mean) * factor * row.weight[i];
    const double exact = with_bias ? scaled + row.bias[i] : scaled;
    const double bound =
        roundings * (2 * std::abs(scaled) + std::abs(exact) + (rms ? 0 : greatest * factor * std::abs(row.weight[i])));
    ASSERT_NEAR(y[i], exact, bound) << "dim " << dim << ", element " << i;
  }
}

TEST(Normalization, IsNearDoublePrecision) {
  for (std::uint32_t dim = 1; dim <= 1100; dim += dim < 70 ? 1 : 103) {
    for (const float center : {0.0F, 3.0F, -100.0F}) {
      const Row row = random_row(dim, 100 + dim, center);
      expect_near_twin(row, true, false);
      expect_near_twin(row, false, false);
      expect_near_twin(row, false, true);
    }
  }
}

/// The definition of nn/normalization.hpp in single floats.
float sum_of(const std::vector<float>& values, bool squares) {
  float lane[16] = {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    lane[i % 16] = squares ? std::fma(values[i], values[i], lane[i % 16]) : lane[i % 16] + values[i];
  }
  for (int width = 8; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lane[i] += lane[i + width];
  }
  return lane[0];
}

TEST(Normalization, IsItsDefinitionToTheBit) {
  for (std::uint32_t dim = 1; dim <= 100; ++dim) {
    const Row row = random_row(dim, 200 + dim, 1.5F);
    const auto count = static_cast<float>(dim);
    const float mean = sum_of(row.x, false) / count;
    std::vector<float> d = row.x;
    for (float& x : d) x -= mean;
    const float factor = 1.0F / std::sqrt(sum_of(d, true) / count + row.epsilon);
    const float rms_factor = 1.0F / std::sqrt(sum_of(row.x, true) / count + row.epsilon);
    const std::vector<float> with_bias = run(row, true, false);
    const std::vector<float> without = run(row, false, false);
    const std::vector<float> rms = run(row, false, true);
    for (std::uint32_t i = 0; i < dim; ++i) {
      ASSERT_EQ(with_bias[i], std::fma(d[i] * factor, row.weight[i], row.bias[i])) << dim << ' ' << i;
      ASSERT_EQ(without[i], d[i] * factor * row.weight[i]) << dim << ' ' << i;
      ASSERT_EQ(rms[i], row.x[i] * rms_factor * row.weight[i]) << dim << ' ' << i;
    }
  }
}

TEST(Normalization, InPlaceOrApartInAnyStride) {
  constexpr std::uint32_t rows = 5;
  for (const std::uint32_t dim : {1U, 16U, 23U, 48U, 67U}) {
    Random random(dim);
    const std::vector<float> before = random.normals(std::size_t{rows} * 70);
    const std::vector<float> weight = random.normals(dim);
    const std::vector<float> bias = random.normals(dim);
    for (const bool rms : {false, true}) {
      const auto call = [&](ConstMatrix from, MutableMatrix to) {
        return rms ? rms_norm(from, rows, dim, weight, 1e-6F, to)
                   : layer_norm(from, rows, dim, weight, bias, 1e-6F, to);
      };
      std::vector<float> apart(before.size(), -7.0F);
      ASSERT_EQ(call({before.data(), 0, 70}, {apart.data() + std::ptrdiff_t{rows - 1} * 70, 0, -70}), Status::ok);
      std::vector<float> in_place = before;
      ASSERT_EQ(call({in_place.data(), 0, 70}, {in_place.data(), 0, 70}), Status::ok);
      for (std::uint32_t row = 0; row < rows; ++row) {
        for (std::uint32_t i = 0; i < 70; ++i) {
          const float other = apart[std::size_t{rows - 1 - row} * 70 + i];
          const std::size_t at = std::size_t{row} * 70 + i;
          ASSERT_EQ(in_place[at], i < dim ? other : before[at]) << dim << ' ' << row << ' ' << i;
          if (i >= dim) {
            ASSERT_EQ(other, -7.0F);
          }
        }
      }
    }
  }
}

/// The largest numbers that the declaration promises, in the longest row.
TEST(Normalization, LargeNumbersDoNotOverflow) {
  for (const std::uint32_t dim : {1U, 17U, 65536U}) {
    Row row = random_row(dim, 9);
    for (std::uint32_t i = 0; i < dim; ++i) row.x[i] = i % 2 == 0 ? 0x1p55F : -0x1p55F;
    expect_near_twin(row, true, false);
    expect_near_twin(row, false, true);
    for (float& x : row.x) x = 0x1p55F;
    const std::vector<float> y = run(row, true, false);
    for (std::uint32_t i = 0; i < dim; ++i) ASSERT_EQ(y[i], row.bias[i]);
    expect_near_twin(row, false, true);
  }
}

TEST(Normalization, ConstantAndEmptyRows) {
  Row row = random_row(37, 10);
  for (const float value : {0.0F, -0.0F, 2.5F}) {
    for (float& x : row.x) x = value;
    EXPECT_EQ(run(row, true, false), row.bias);
    if (value == 0.0F) {
      for (const float y : run(row, false, true)) EXPECT_EQ(y, 0.0F);
    }
  }
}

TEST(Normalization, NotANumberStaysInItsRow) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{36}}) {
      Random random(11);
      std::vector<float> x = random.normals(3 * 37);
      const std::vector<float> weight(37, 1.0F);
      x[37 + at] = bad;
      std::vector<float> y(x.size());
      ASSERT_EQ(layer_norm(dense<const float>(x.data(), 3, 37), 3, 37, weight, {}, 1e-5F, dense(y.data(), 3, 37)),
                Status::ok);
      for (std::size_t i = 0; i < y.size(); ++i)
        EXPECT_EQ(std::isnan(y[i]), i / 37 == 1) << bad << ' ' << at << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace heed::test
