// SPDX-License-Identifier: MIT
//
// Packed linear layers of every type, with memory of just the right size.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "heed/linear.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"

namespace heed::test {

struct TypeCase {
  DataType type;
  const Format* format;
  const char* name;
};

inline const TypeCase weight_types[] = {
    {DataType::float32, nullptr, "float32"},
    {DataType::float16, &float16_weights, "float16"},
    {DataType::bfloat16, &bfloat16_weights, "bfloat16"},
    {DataType::int8, &int8_weights, "int8"},
    {DataType::int8_groups, &int8_group_weights, "int8 groups"},
    {DataType::int4_groups, &int4_group_weights, "int4 groups"},
};

inline LinearPlan linear_plan(std::uint32_t inputs, std::uint32_t outputs, DataType type, bool bias = true) {
  LinearPlan plan;
  EXPECT_EQ(make_plan({.inputs = inputs, .outputs = outputs, .type = type, .bias = bias}, plan), Status::ok);
  return plan;
}

inline std::string name_of(const LinearPlan& plan) {
  return std::string(weight_types[static_cast<int>(plan.type)].name) + ", " + std::to_string(plan.inputs) + " to " +
         std::to_string(plan.outputs);
}

/// Stored numbers of a type as they come: every q, scales of either sign, some of them 0.
struct StoredWeights {
  std::vector<std::uint16_t> shorts;
  std::vector<std::int8_t> integers;
  std::vector<float> float_scales;
  std::vector<std::uint16_t> half_scales;
};

/// The value of a float16 that is neither infinite nor NaN.
inline float half_value(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1F;
  const int mantissa = half & 0x3FF;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return static_cast<float>((half & 0x8000) != 0 ? -magnitude : magnitude);
}

/// A float16 of exponent 2^-11..2^-4, either sign.
inline std::uint16_t random_half(Random& random) {
  return static_cast<std::uint16_t>(random.between(0, 1) << 15 | random.between(4, 11) << 10 | random.between(0, 1023));
}

inline StoredWeights stored_weights(Random& random, const LinearPlan& plan) {
  StoredWeights stored;
  const std::size_t count = std::size_t{plan.inputs} * plan.outputs;
  const std::size_t groups = std::size_t{plan.outputs} * ((plan.inputs + 31) / 32);
  for (std::size_t i = 0; i < count; ++i) {
    switch (plan.type) {
      case DataType::float32: break;
      case DataType::float16: stored.shorts.push_back(random_half(random)); break;
      case DataType::bfloat16:
        stored.shorts.push_back(
            static_cast<std::uint16_t>(random.between(0, 1) << 15 | random.between(0x3D00, 0x3FFF)));
        break;
      case DataType::int8:
      case DataType::int8_groups:
        stored.integers.push_back(static_cast<std::int8_t>(static_cast<int>(random.between(0, 255)) - 128));
        break;
      case DataType::int4_groups:
        stored.integers.push_back(static_cast<std::int8_t>(static_cast<int>(random.between(0, 15)) - 8));
        break;
      default: break;  // not of weights whose rows are floats
    }
  }
  for (std::uint32_t i = 0; i < plan.outputs; ++i) stored.float_scales.push_back(random.normal() * 0.01F);
  for (std::size_t i = 0; i < groups; ++i) {
    stored.half_scales.push_back(random.between(0, 20) == 0 ? std::uint16_t{0} : random_half(random));
  }
  return stored;
}

inline Status pack_stored(const LinearPlan& plan, const StoredWeights& stored, const float* bias,
                          std::span<std::byte> packed) {
  if (plan.type == DataType::int8) {
    return pack_linear_quantized(plan, stored.integers.data(), stored.float_scales.data(), bias, packed);
  }
  if (plan.type == DataType::int8_groups || plan.type == DataType::int4_groups) {
    return pack_linear_quantized(plan, stored.integers.data(), stored.half_scales.data(), bias, packed);
  }
  return pack_linear_quantized(plan, stored.shorts.data(), bias, packed);
}

/// How a product is computed; none of it may change a bit.
struct LinearManner {
  std::uint32_t workers = 1;
  Executor executor{};
  std::size_t x_shift = 0;  ///< floats that x lies off a 64-byte boundary
  std::size_t padding = 0;  ///< floats between rows
};

/// y [rows, outputs], from memory of just the right size; what lies between its rows must stay as it was.
inline std::vector<float> run_linear(const LinearPlan& plan, const PackedWeights& weights, const std::vector<float>& x,
                                     std::uint32_t rows, const LinearManner& manner = {}) {
  const std::size_t x_row = plan.inputs + manner.padding;
  const std::size_t y_row = plan.outputs + manner.padding;
  const AlignedMemory x_memory((manner.x_shift + rows * x_row) * sizeof(float));
  auto* const in = reinterpret_cast<float*>(x_memory.span().data()) + manner.x_shift;
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(&x[r * plan.inputs], plan.inputs, in + r * x_row);
  std::vector<float> strided((rows - 1) * y_row + plan.outputs, -7.0F);
  const AlignedMemory scratch(std::size_t{manner.workers} * plan.staging_bytes +
                              std::size_t{std::min(rows, 64U)} * plan.row_bytes);
  EXPECT_EQ(
      linear(plan, weights, rows, {in, 0, static_cast<std::ptrdiff_t>(x_row)},
             {strided.data(), 0, static_cast<std::ptrdiff_t>(y_row)}, scratch.span(), manner.executor, manner.workers),
      Status::ok);
  std::vector<float> y;
  for (std::size_t i = 0; i < strided.size(); ++i) {
    if (i % y_row < plan.outputs) {
      y.push_back(strided[i]);
    } else {
      EXPECT_EQ(strided[i], -7.0F);
    }
  }
  return y;
}

}  // namespace heed::test
