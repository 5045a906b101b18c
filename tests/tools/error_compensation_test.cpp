// SPDX-License-Identifier: MIT
//
// Error compensation beside pack_linear(), and beside the definition: at each weight, those after it at their best.
#include "tensors/error_compensation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/heed.hpp"
#include "support/aligned_memory.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

using tools::ErrorCompensation;
using tools::InputMoments;
using tools::RoundedOutput;
using Numbers = std::vector<double>;

constexpr std::size_t inputs = 72;  // the last group has 8
constexpr std::size_t rows = 300;

/// Rows whose numbers depend on their neighbours.
std::vector<float> correlated_rows(std::uint32_t seed) {
  std::vector<float> x = Random(seed).normals(rows * inputs);
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (i % inputs != 0) x[i] = 0.9F * x[i - 1] + 0.4F * x[i];
  }
  return x;
}

InputMoments moments_of(const std::vector<float>& x) {
  InputMoments moments(inputs);
  moments.add(x);
  return moments;
}

/// What pack_linear() makes of an output.
std::vector<float> nearest(const std::vector<float>& weight) {
  LinearPlan plan;
  EXPECT_EQ(make_plan({.inputs = inputs,
                       .outputs = 1,
                       .type = DataType::int4_multipliers,
                       .bias = false,
                       .row_type = DataType::int16},
                      plan),
            Status::ok);
  const AlignedMemory packed(plan.bytes);
  EXPECT_EQ(pack_linear(plan, weight.data(), nullptr, packed.span()), Status::ok);
  std::vector<float> stored(inputs);
  EXPECT_EQ(unpack_linear(plan, {packed.span(), &int4_multiplier_weights}, stored.data()), Status::ok);
  return stored;
}

/// Of the products of all rows with w - stored.
double square_of(const std::vector<float>& x, const Numbers& difference) {
  double square = 0.0;
  for (std::size_t row = 0; row < x.size(); row += inputs) {
    double product = 0.0;
    for (std::size_t i = 0; i < inputs; ++i) product += double{x[row + i]} * difference[i];
    square += product * product;
  }
  return square;
}

/// Solves a b = y for a symmetric positive definite a [count, count], by elimination.
Numbers solved(Numbers a, Numbers y) {
  const std::size_t count = y.size();
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = k + 1; i < count; ++i) {
      const double factor = a[i * count + k] / a[k * count + k];
      for (std::size_t j = k; j < count; ++j) a[i * count + j] -= factor * a[k * count + j];
      y[i] -= factor * y[k];
    }
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t j = i + 1; j < count; ++j) y[i] -= a[i * count + j] * y[j];
    y[i] /= a[i * count + i];
  }
  return y;
}

/// H of the rows, and what is added to its diagonal.
Numbers damped(const std::vector<float>& x) {
  Numbers h(inputs * inputs);
  double diagonal = 0.0;
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t j = 0; j < inputs; ++j) {
      for (std::size_t row = 0; row < x.size(); row += inputs) h[i * inputs + j] += double{x[row + i]} * x[row + j];
    }
    diagonal += h[i * inputs + i];
  }
  for (std::size_t i = 0; i < inputs; ++i) h[i * inputs + i] += (0.01 + 0.1 * inputs / rows) * diagonal / inputs;
  return h;
}

/// What weight `at` becomes if the first `rounded` have left the errors e and no other is rounded: those after them
/// take the errors e_f that make e H e^T the least, H_ff e_f = -H_fr e_r.
double made_up(const Numbers& h, const std::vector<float>& weight, const Numbers& e, std::size_t rounded,
               std::size_t at) {
  const std::size_t free = inputs - rounded;
  Numbers a(free * free);
  Numbers y(free);
  for (std::size_t i = 0; i < free; ++i) {
    for (std::size_t j = 0; j < free; ++j) a[i * free + j] = h[(rounded + i) * inputs + rounded + j];
    for (std::size_t j = 0; j < rounded; ++j) y[i] -= h[(rounded + i) * inputs + j] * e[j];
  }
  return double{weight[at]} - solved(a, y)[at - rounded];
}

TEST(ErrorCompensation, RoundsEachWeightAfterItHasMadeUpForThoseBefore) {
  const std::vector<float> x = correlated_rows(1);
  const ErrorCompensation compensation(moments_of(x));
  const Numbers h = damped(x);
  const std::vector<float> weight = Random(2).normals(inputs);
  const RoundedOutput output = compensation.round(weight);
  ASSERT_EQ(output.numbers.size(), inputs);
  ASSERT_EQ(output.multipliers.size(), 3U);
  Numbers e(inputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    if (i % 32 == 0) {
      double extreme = 0.0;
      for (std::size_t k = i; k < std::min(inputs, i + 32); ++k) {
        const double value = made_up(h, weight, e, i, k);
        if (std::abs(value) > std::abs(extreme)) extreme = value;
      }
      const double least = std::min(63.0, std::ceil(std::abs(extreme) / 8.0 / double{output.scale} - 1e-6));
      EXPECT_EQ(output.multipliers[i / 32], extreme > 0.0 ? -least : least) << i;
    }
    const double step = output.multipliers[i / 32] * double{output.scale};
    const double quotient = made_up(h, weight, e, i, i) / step;
    EXPECT_NEAR(output.numbers[i], std::clamp(quotient, -8.0, 7.0), 0.5 + 1e-5) << i;
    e[i] = double{weight[i]} - output.value(i);
  }
}

TEST(ErrorCompensation, LeavesLessErrorThanTheNearest) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const std::vector<float> x = correlated_rows(seed);
    const InputMoments moments = moments_of(x);
    const ErrorCompensation compensation(moments);
    const std::vector<float> weight = Random(100 + seed).normals(inputs);
    const RoundedOutput output = compensation.round(weight);
    const std::vector<float> before = nearest(weight);
    Numbers difference(inputs);
    Numbers of_nearest(inputs);
    for (std::size_t i = 0; i < inputs; ++i) difference[i] = double{weight[i]} - output.value(i);
    for (std::size_t i = 0; i < inputs; ++i) of_nearest[i] = double{weight[i]} - double{before[i]};
    const double found = square_of(x, difference);
    EXPECT_LT(found, 0.8 * square_of(x, of_nearest)) << seed;
    EXPECT_NEAR(moments.square_of(difference), found, 1e-9 * found);
  }
}

// Rows that have one number each say nothing of two weights together; neither do rows of zeros, or none.
TEST(ErrorCompensation, IsPackLinearWhereInputsAreUnrelated) {
  std::vector<float> diagonal(inputs * inputs);
  for (std::size_t i = 0; i < inputs; ++i) diagonal[i * inputs + i] = 1.0F + 0.1F * static_cast<float>(i);
  const std::vector<float> all[] = {diagonal, std::vector<float>(inputs * 3), {}};
  std::vector<std::vector<float>> weights{Random(5).normals(inputs), std::vector<float>(inputs),
                                          Random(6).normals(inputs, 1e-3F), Random(7).normals(inputs)};
  weights[2][40] = 1.0F;
  std::fill_n(weights[3].begin(), 32, 0.0F);
  for (const std::vector<float>& x : all) {
    const ErrorCompensation compensation(moments_of(x));
    for (const std::vector<float>& weight : weights) {
      const RoundedOutput output = compensation.round(weight);
      const std::vector<float> stored = nearest(weight);
      for (std::size_t i = 0; i < inputs; ++i) {
        EXPECT_EQ(static_cast<float>(output.value(i)), stored[i]) << i;
      }
    }
  }
}

// Every row is the same: H has rank 1, and what damping adds keeps D above 0.
TEST(ErrorCompensation, TakesRowsOfOneDirection) {
  const std::vector<float> row = Random(8).normals(inputs);
  std::vector<float> x;
  for (int i = 0; i < 3; ++i) x.insert(x.end(), row.begin(), row.end());
  const std::vector<float> weight = Random(9).normals(inputs);
  const RoundedOutput output = ErrorCompensation(moments_of(x)).round(weight);
  for (std::size_t i = 0; i < inputs; ++i) EXPECT_LT(std::abs(output.value(i)), 100.0);
}

}  // namespace
}  // namespace heed::test
