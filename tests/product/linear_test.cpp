// SPDX-License-Identifier: MIT
//
// Linear layers against their definition in double precision, and against the float32 layer over their dequantized
// floats, bit by bit.
#include <algorithm>
#include <limits>

#include "product/linear_case.hpp"
#include "support/effort.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t most_rows = 70;

struct Size {
  std::uint32_t inputs, outputs;
};
constexpr Size sizes[] = {{1, 1},   {5, 3},    {31, 16},  {32, 17},  {33, 64},  {64, 65},
                          {65, 48}, {96, 100}, {127, 33}, {200, 15}, {300, 81}, {513, 70}};

/// A packed layer, and its dequantized floats.
struct Layer {
  LinearPlan plan;
  const Format* format;
  std::vector<float> bias;
  AlignedMemory packed;
  std::vector<float> dequantized;

  Layer(Random& random, const TypeCase& type, Size size, bool has_bias)
      : plan(linear_plan(size.inputs, size.outputs, type.type, has_bias)),
        format(type.format),
        bias(has_bias ? random.normals(size.outputs) : std::vector<float>{}),
        packed(plan.bytes),
        dequantized(std::size_t{size.inputs} * size.outputs) {
    const float* b = has_bias ? bias.data() : nullptr;
    if (type.format == nullptr) {
      EXPECT_EQ(pack_linear(plan, random.normals(dequantized.size()).data(), b, packed.span()), Status::ok);
    } else {
      EXPECT_EQ(pack_stored(plan, stored_weights(random, plan), b, packed.span()), Status::ok);
    }
    EXPECT_EQ(unpack_linear(plan, weights(), dequantized.data()), Status::ok);
  }

  [[nodiscard]] PackedWeights weights() const { return {packed.span(), format}; }
};

TEST(Linear, IsTheProductOfItsDefinition) {
  Random random(1);
  for (const TypeCase& type : weight_types) {
    for (const Size size : sizes) {
      const Layer layer(random, type, size, true);
      const std::vector<float> x = random.normals(std::size_t{3} * size.inputs);
      const std::vector<float> y = run_linear(layer.plan, layer.weights(), x, 3);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t output = i % size.outputs;
        double sum = layer.bias[output];
        double magnitude = std::abs(sum);
        for (std::size_t k = 0; k < size.inputs; ++k) {
          const double term =
              double{x[i / size.outputs * size.inputs + k]} * layer.dequantized[output * size.inputs + k];
          sum += term;
          magnitude += std::abs(term);
        }
        ASSERT_NEAR(y[i], sum, 0x1p-24 * (size.inputs + 1) * magnitude) << name_of(layer.plan) << ", element " << i;
      }
    }
  }
}

TEST(Linear, HasTheBitsOfFloatsForAnyRowsWorkersAndPlaces) {
  Random random(2);
  const std::uint32_t step = std::min(case_divisor(), 3U);
  std::uint32_t number = 0;
  for (const TypeCase& type : weight_types) {
    for (const Size size : sizes) {
      for (const bool has_bias : {true, false}) {
        if (number++ % step != 0) continue;
        const Layer layer(random, type, size, has_bias);
        const LinearPlan plan = linear_plan(size.inputs, size.outputs, DataType::float32, has_bias);
        const AlignedMemory packed(plan.bytes);
        ASSERT_EQ(pack_linear(plan, layer.dequantized.data(), has_bias ? layer.bias.data() : nullptr, packed.span()),
                  Status::ok);
        const std::vector<float> x = random.normals(std::size_t{most_rows} * size.inputs);
        const std::vector<float> expected = run_linear(plan, packed.span(), x, most_rows);
        for (std::uint32_t rows = 1; rows <= most_rows; rows += rows < 8 ? 1 : random.between(1, 12)) {
          LinearManner manner;
          manner.workers = rows % 3 == 0 ? random.between(1, 5) : 1;
          if (rows % 2 == 0) manner.executor = thread_per_task();
          manner.x_shift = random.between(0, 3);
          manner.padding = random.between(0, 2) * 3;
          const std::vector<float> y = run_linear(layer.plan, layer.weights(), x, rows, manner);
          const std::vector<float> first(expected.begin(),
                                         expected.begin() + static_cast<std::ptrdiff_t>(rows * size.outputs));
          ASSERT_TRUE(same_bits(y, first)) << name_of(layer.plan) << ", " << rows << " rows";
        }
      }
    }
  }
}

/// So many outputs that a port may give each worker several shares of them.
TEST(Linear, HasTheSameBitsForAnyWorkersOfManyOutputs) {
  Random random(9);
  for (const TypeCase& type : weight_types) {
    const Layer layer(random, type, {5, 12500}, true);
    const std::vector<float> x = random.normals(std::size_t{70} * 5);
    for (const std::uint32_t rows : {1U, 70U}) {
      const std::vector<float> expected = run_linear(layer.plan, layer.weights(), x, rows);
      for (const std::uint32_t workers : {2U, 3U, 4U}) {
        const LinearManner manner{.workers = workers, .executor = thread_per_task()};
        EXPECT_TRUE(same_bits(run_linear(layer.plan, layer.weights(), x, rows, manner), expected))
            << name_of(layer.plan) << ", " << rows << " rows, " << workers << " workers";
      }
    }
  }
}

TEST(Linear, StoredNumbersKeepTheirValues) {
  Random random(3);
  for (const TypeCase& type : weight_types) {
    if (type.format == nullptr) continue;
    const LinearPlan plan = linear_plan(70, 35, type.type);
    const StoredWeights stored = stored_weights(random, plan);
    const AlignedMemory packed(plan.bytes);
    ASSERT_EQ(pack_stored(plan, stored, nullptr, packed.span()), Status::ok);
    std::vector<float> dequantized(70 * 35);
    ASSERT_EQ(unpack_linear(plan, {packed.span(), type.format}, dequantized.data()), Status::ok);
    for (std::size_t i = 0; i < dequantized.size(); ++i) {
      const std::size_t output = i / 70;
      const std::size_t group = output * 3 + i % 70 / 32;
      float expected = 0;
      if (type.type == DataType::float16) expected = half_value(stored.shorts[i]);
      if (type.type == DataType::bfloat16) expected = std::bit_cast<float>(std::uint32_t{stored.shorts[i]} << 16);
      if (type.type == DataType::int8) {
        expected = static_cast<float>(stored.integers[i]) * stored.float_scales[output];
      }
      if (type.type >= DataType::int8_groups) {
        expected = static_cast<float>(stored.integers[i]) * half_value(stored.half_scales[group]);
      }
      ASSERT_EQ(dequantized[i], expected) << type.name << ", number " << i;
    }
  }
}

/// What shares a scale with a number that has none dequantizes to NaN, and nothing else changes.
TEST(Linear, NumbersWithoutAScaleSpoilTheirGroupAlone) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr std::uint32_t inputs = 70, outputs = 5;
  for (const TypeCase& type : weight_types) {
    if (type.type < DataType::int8) continue;
    const bool groups = type.type != DataType::int8;
    const LinearPlan plan = linear_plan(inputs, outputs, type.type, false);
    const AlignedMemory packed(plan.bytes);
    const auto dequantize = [&](const std::vector<float>& weight) {
      std::vector<float> dequantized(weight.size());
      EXPECT_EQ(pack_linear(plan, weight.data(), nullptr, packed.span()), Status::ok);
      EXPECT_EQ(unpack_linear(plan, {packed.span(), type.format}, dequantized.data()), Status::ok);
      return dequantized;
    };
    Random random(3);
    const std::vector<float> sound = random.normals(std::size_t{inputs} * outputs);
    const std::vector<float> before = dequantize(sound);
    // Of three groups in a row, the last is short. A scale beyond float16 is one of groups alone.
    for (const float odd : {nan, -nan, infinity, -infinity, 1e9F}) {
      if (odd == 1e9F && !groups) continue;
      for (const std::uint32_t at : {0U, 33U, 69U}) {
        std::vector<float> weight = sound;
        weight[2 * inputs + at] = odd;
        const std::vector<float> after = dequantize(weight);
        for (std::uint32_t i = 0; i < sound.size(); ++i) {
          const bool shares = i / inputs == 2 && (!groups || i % inputs / 32 == at / 32);
          if (shares) {
            ASSERT_TRUE(std::isnan(after[i])) << type.name << ' ' << odd << " at " << at << ": " << i;
          } else {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(after[i]), std::bit_cast<std::uint32_t>(before[i])) << type.name;
          }
        }
      }
    }
  }
}

TEST(Linear, PaddingHasNoEffect) {
  Random random(4);
  for (const TypeCase& type : weight_types) {
    Layer layer(random, type, {33, 19}, true);
    const std::vector<float> x = random.normals(33 * 5);
    const std::vector<float> expected = run_linear(layer.plan, layer.weights(), x, 5);
    // The last panel has lanes 3..15 without an output: NaN or the greatest numbers in all of them.
    const std::uint32_t bytes = layer.plan.weights.bytes / 2 / 33 / 16;
    for (std::uint32_t k = 0; k < 33; ++k) {
      for (std::uint32_t lane = 3; lane < 16; ++lane) {
        std::byte* to = layer.packed.span().data() + layer.plan.weights.offset;
        if (type.type == DataType::int4_groups) {
          to[(33 + k) * 8 + lane % 8] |= lane < 8 ? std::byte{0x0F} : std::byte{0xF0};
        } else {
          for (std::uint32_t i = 0; i < bytes; ++i) to[((33 + k) * 16 + lane) * bytes + i] = std::byte{0x7F};
        }
      }
    }
    ASSERT_TRUE(same_bits(run_linear(layer.plan, layer.weights(), x, 5), expected)) << type.name;
    ASSERT_TRUE(same_bits(run_linear(layer.plan, layer.weights(), x, 1), {expected.begin(), expected.begin() + 19}))
        << type.name;
  }
}

}  // namespace
}  // namespace heed::test
