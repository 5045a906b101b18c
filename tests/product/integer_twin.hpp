// SPDX-License-Identifier: MIT
//
// Linear layers with rows of integers, and their definition in 64-bit integers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/linear.hpp"
#include "product/linear_case.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"

namespace heed::test {

struct IntegerType {
  DataType weights;
  DataType rows;
  const Format* format;
  int shift;  ///< of a group's sum
  const char* name;

  [[nodiscard]] LinearPlan plan(std::uint32_t inputs, std::uint32_t outputs, bool bias = true) const {
    LinearPlan made;
    EXPECT_EQ(make_plan({.inputs = inputs, .outputs = outputs, .type = weights, .bias = bias, .row_type = rows}, made),
              Status::ok);
    return made;
  }
};

inline const IntegerType integer_types[] = {
    {DataType::int8, DataType::int8, &int8_integer_weights, 0, "int8 by int8"},
    {DataType::int8, DataType::int16, &int8_integer_weights, 0, "int8 by int16"},
    {DataType::int8_multipliers, DataType::int8, &int8_multiplier_weights, 0, "int8 multipliers by int8"},
    {DataType::int8_multipliers, DataType::int16, &int8_multiplier_weights, 6, "int8 multipliers by int16"},
    {DataType::int4_multipliers, DataType::int8, &int4_multiplier_weights, 0, "int4 multipliers by int8"},
    {DataType::int4_multipliers, DataType::int16, &int4_multiplier_weights, 2, "int4 multipliers by int16"},
};

enum class Extreme { greatest, least, alternating, opposed };

/// A packed layer of random integers, or of the greatest, and what it computes.
class IntegerLayer {
 public:
  IntegerLayer(Random& random, const IntegerType& of, std::uint32_t inputs, std::uint32_t outputs, bool has_bias)
      : type(of), plan(of.plan(inputs, outputs, has_bias)), packed_(plan.bytes) {
    const int most = of.weights == DataType::int4_multipliers ? 7 : 127;
    const int least = of.weights == DataType::int4_multipliers ? -8 : -127;
    for (std::size_t i = 0; i < std::size_t{inputs} * outputs; ++i) {
      weight_.push_back(static_cast<std::int8_t>(
          least + static_cast<int>(random.between(0, static_cast<std::uint32_t>(most - least)))));
    }
    for (std::size_t i = 0; i < groups() * outputs; ++i) {
      multipliers_.push_back(static_cast<std::int8_t>(static_cast<int>(random.between(0, 126)) - 63));
    }
    for (std::uint32_t i = 0; i < outputs; ++i) scales_.push_back(random.normal() * 0.01F);
    if (has_bias) bias = random.normals(outputs);
    pack();
  }

  IntegerLayer(Random& random, const IntegerType& of, std::uint32_t inputs, std::uint32_t outputs, Extreme extreme)
      : IntegerLayer(random, of, inputs, outputs, false) {
    const bool nibbles = of.weights == DataType::int4_multipliers;
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      const bool negative = extreme == Extreme::least || extreme == Extreme::opposed ||
                            (extreme == Extreme::alternating && (i % inputs) % 2 == 1);
      weight_[i] = static_cast<std::int8_t>(nibbles ? (negative ? -8 : 7) : (negative ? -127 : 127));
    }
    for (std::size_t i = 0; i < multipliers_.size(); ++i) {
      multipliers_[i] = extreme == Extreme::opposed ? std::int8_t{-63} : std::int8_t{63};
    }
    pack();
  }

  [[nodiscard]] std::vector<float> run(const std::vector<float>& x, std::uint32_t rows,
                                       const LinearManner& manner = {}) const {
    return run_linear(plan, {packed_.span(), type.format}, x, rows, manner);
  }

  [[nodiscard]] std::vector<float> dequantized() const {
    std::vector<float> weight(weight_.size());
    EXPECT_EQ(unpack_linear(plan, {packed_.span(), type.format}, weight.data()), Status::ok);
    for (std::size_t i = 0; i < weight.size(); ++i) {
      const std::size_t output = i / plan.inputs;
      const int number = weight_[i] * multiplier(output, i % plan.inputs / 32);
      EXPECT_EQ(weight[i], static_cast<float>(number) * scales_[output]);
    }
    return weight;
  }

  /// y [rows, outputs] by the definition.
  [[nodiscard]] std::vector<float> twin(const std::vector<float>& x, std::uint32_t rows) const {
    std::vector<float> y;
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const from = &x[row * plan.inputs];
      const float most = type.rows == DataType::int8 ? 127.0F : 16383.0F;
      float greatest = 0.0F;
      for (std::size_t i = 0; i < plan.inputs; ++i) greatest = std::max(greatest, std::abs(from[i]));
      const float factor = most / greatest;
      const float scale = greatest * (1.0F / most);
      std::vector<std::int64_t> q(plan.inputs);
      const bool is_zero = greatest < 0x1p-100F;
      for (std::size_t i = 0; i < plan.inputs && !is_zero; ++i) {
        q[i] = static_cast<std::int64_t>(std::nearbyint(from[i] * factor));
      }
      for (std::size_t output = 0; output < plan.outputs; ++output) {
        float sum = bias.empty() ? 0.0F : bias[output];
        for (std::size_t block = 0; block < plan.inputs; block += 1024) {
          const std::int64_t integer = block_sum(q, output, block);
          EXPECT_LE(std::abs(integer), 0x7FFFFFFF);
          sum += static_cast<float>(integer) *
                 (scales_[output] * ((is_zero ? 0.0F : scale) * static_cast<float>(1 << type.shift)));
        }
        y.push_back(sum);
      }
    }
    return y;
  }

  IntegerType type;
  LinearPlan plan;
  std::vector<float> bias;

 private:
  [[nodiscard]] std::size_t groups() const { return (std::size_t{plan.inputs} + 31) / 32; }
  [[nodiscard]] int multiplier(std::size_t output, std::size_t group) const {
    return type.weights == DataType::int8 ? 1 : multipliers_[output * groups() + group];
  }

  [[nodiscard]] std::int64_t block_sum(const std::vector<std::int64_t>& q, std::size_t output,
                                       std::size_t block) const {
    std::int64_t sum = 0;
    for (std::size_t k = block; k < std::min<std::size_t>(block + 1024, plan.inputs); k += 32) {
      std::int64_t part = 0;
      for (std::size_t i = k; i < std::min<std::size_t>(k + 32, plan.inputs); ++i) {
        part += q[i] * weight_[output * plan.inputs + i];
      }
      const double divided = std::ldexp(static_cast<double>(part), -type.shift);
      sum += static_cast<std::int64_t>(std::floor(divided + 0.5)) * multiplier(output, k / 32);
    }
    return sum;
  }

  void pack() {
    const std::int8_t* const multipliers = type.weights == DataType::int8 ? nullptr : multipliers_.data();
    EXPECT_EQ(pack_linear_quantized(plan, weight_.data(), multipliers, scales_.data(),
                                    bias.empty() ? nullptr : bias.data(), packed_.span()),
              Status::ok);
  }

  AlignedMemory packed_;
  std::vector<std::int8_t> weight_;
  std::vector<std::int8_t> multipliers_;
  std::vector<float> scales_;
};

}  // namespace heed::test
