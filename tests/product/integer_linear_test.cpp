// SPDX-License-Identifier: MIT
//
// Linear layers with rows of integers: against their definition in exact integers, bit by bit, and against the product
// of floats that they stand for.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "product/integer_twin.hpp"
#include "support/effort.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

struct Size {
  std::uint32_t inputs, outputs;
};
constexpr Size sizes[] = {{1, 1},    {3, 17},    {7, 16},    {8, 5},     {31, 33},   {32, 16},
                          {33, 20},  {40, 64},   {64, 48},   {96, 7},    {127, 31},  {512, 16},
                          {513, 18}, {1023, 16}, {1024, 20}, {1025, 17}, {1100, 50}, {2100, 16}};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) return false;
  }
  return true;
}

TEST(IntegerLinear, HasTheBitsOfItsDefinition) {
  Random random(1);
  for (const IntegerType& type : integer_types) {
    for (const Size size : sizes) {
      for (const std::uint32_t rows : {1U, 2U, 3U, 5U, 13U, 70U}) {
        if (rows == 70 && size.inputs > 600) continue;
        const IntegerLayer layer(random, type, size.inputs, size.outputs, rows != 3 && rows != 13);
        const std::vector<float> x = random.normals(std::size_t{rows} * size.inputs);
        ASSERT_TRUE(same_bits(layer.run(x, rows), layer.twin(x, rows)))
            << type.name << ", " << rows << " rows of " << size.inputs << " to " << size.outputs;
      }
    }
  }
}

TEST(IntegerLinear, TakesTheLongestSumsOfTheGreatestNumbers) {
  Random random(2);
  for (const IntegerType& type : integer_types) {
    for (const std::uint32_t inputs : {512U, 513U, 1024U, 1025U, 4096U}) {
      for (const Extreme extreme : {Extreme::greatest, Extreme::least, Extreme::alternating, Extreme::opposed}) {
        const IntegerLayer layer(random, type, inputs, 18, extreme);
        std::vector<float> x(std::size_t{5} * inputs);
        for (std::size_t i = 0; i < x.size(); ++i) {
          x[i] = extreme == Extreme::alternating && i % 2 == 1 ? -3.0F : 3.0F;
        }
        ASSERT_TRUE(same_bits(layer.run(x, 5), layer.twin(x, 5))) << type.name << ", " << inputs;
      }
    }
  }
}

TEST(IntegerLinear, IsCloseToTheProductOfFloats) {
  Random random(3);
  for (const IntegerType& type : integer_types) {
    for (const std::uint32_t inputs : {64U, 512U, 2100U}) {
      const IntegerLayer layer(random, type, inputs, 32, true);
      const std::vector<float> x = random.normals(std::size_t{4} * inputs);
      const std::vector<float> y = layer.run(x, 4);
      const std::vector<float> weight = layer.dequantized();
      double error = 0.0;
      double size = 0.0;
      for (std::size_t r = 0; r < 4; ++r) {
        for (std::size_t o = 0; o < 32; ++o) {
          double sum = layer.bias[o];
          for (std::size_t k = 0; k < inputs; ++k) sum += double{x[r * inputs + k]} * weight[o * inputs + k];
          error += (y[r * 32 + o] - sum) * (y[r * 32 + o] - sum);
          size += sum * sum;
        }
      }
      EXPECT_LT(std::sqrt(error / size), type.rows == DataType::int8 ? 0.02 : 2e-4) << type.name;
    }
  }
}

TEST(IntegerLinear, HasTheSameBitsForAnyWorkersAndPlaces) {
  Random random(4);

  for (const IntegerType& type : integer_types) {
    const IntegerLayer layer(random, type, 100, 70, true);
    const std::vector<float> x = random.normals(std::size_t{9} * 100);
    const std::vector<float> expected = layer.run(x, 9);
    for (const std::uint32_t workers : {1U, 2U, 3U, 7U, 64U}) {
      EXPECT_TRUE(same_bits(layer.run(x, 9, {.workers = workers, .executor = thread_per_task()}), expected));
    }
    EXPECT_TRUE(same_bits(layer.run(x, 9, {.x_shift = 3, .padding = 5}), expected));
    for (std::size_t r = 0; r < 9; ++r) {
      const std::vector<float> row(x.begin() + static_cast<std::ptrdiff_t>(r * 100),
                                   x.begin() + static_cast<std::ptrdiff_t>(r * 100 + 100));
      const std::vector<float> y = layer.run(row, 1);
      EXPECT_TRUE(std::equal(y.begin(), y.end(), expected.begin() + static_cast<std::ptrdiff_t>(r * 70)));
    }
  }
}

/// So many outputs that a port may give each worker several shares of them.
TEST(IntegerLinear, HasTheSameBitsForAnyWorkersOfManyOutputs) {
  Random random(9);
  for (const IntegerType& type : integer_types) {
    const IntegerLayer layer(random, type, 8, 12500, true);
    const std::vector<float> x = random.normals(std::size_t{2} * 8);
    for (const std::uint32_t rows : {1U, 2U}) {
      const std::vector<float> part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rows * 8));
      const std::vector<float> expected = layer.twin(part, rows);
      for (const std::uint32_t workers : {1U, 2U, 3U, 4U}) {
        EXPECT_TRUE(same_bits(layer.run(part, rows, {.workers = workers, .executor = thread_per_task()}), expected))
            << type.name << ", " << rows << " rows, " << workers << " workers";
      }
    }
  }
}

TEST(IntegerLinear, ShowsNanAndInfinityInTheirRowAlone) {
  Random random(5);
  for (const IntegerType& type : integer_types) {
    const IntegerLayer layer(random, type, 40, 20, true);
    std::vector<float> x = random.normals(std::size_t{4} * 40);
    const std::vector<float> expected = layer.run(x, 4);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
      x[50] = bad;
      const std::vector<float> y = layer.run(x, 4);
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (i / 20 == 1) {
          EXPECT_TRUE(std::isnan(y[i]));
        } else {
          EXPECT_EQ(y[i], expected[i]);
        }
      }
    }
  }
}

TEST(IntegerLinear, TakesTheLeastAndTheGreatestRows) {
  Random random(6);
  for (const IntegerType& type : integer_types) {
    const IntegerLayer layer(random, type, 48, 16, true);
    for (const float spread : {0.0F, 0x1p-149F, 0x1p-102F, 0x1p-101F, 0x1p-99F, 1.0F, 0x1p124F}) {
      std::vector<float> x = random.normals(std::size_t{2} * 48, spread);
      ASSERT_TRUE(same_bits(layer.run(x, 2), layer.twin(x, 2))) << type.name << ", " << spread;
    }
  }
}

TEST(IntegerLinear, RoundsWeightsAsItSays) {
  Random random(7);
  for (const IntegerType& type : integer_types) {
    const LinearPlan plan = type.plan(75, 19);
    const std::vector<float> weight = random.normals(std::size_t{75} * 19);
    const AlignedMemory packed(plan.bytes);
    ASSERT_EQ(pack_linear(plan, weight.data(), nullptr, packed.span()), Status::ok);
    std::vector<float> unpacked(weight.size());
    ASSERT_EQ(unpack_linear(plan, {packed.span(), type.format}, unpacked.data()), Status::ok);
    const double levels = type.weights == DataType::int4_multipliers ? 8.0 : 127.0;
    for (std::size_t o = 0; o < 19; ++o) {
      double greatest = 0.0;
      for (std::size_t k = 0; k < 75; ++k) greatest = std::max(greatest, std::abs(double{weight[o * 75 + k]}));
      for (std::size_t k = 0; k < 75; ++k) {
        // Half a step, a whole one where q ends at 7, and a multiplier's rounding.
        EXPECT_LE(std::abs(double{unpacked[o * 75 + k]} - weight[o * 75 + k]), greatest / levels * 1.02) << type.name;
      }
    }
  }
}

TEST(IntegerLinear, RefusesWhatItCannotHold) {
  for (const IntegerType& type : integer_types) {
    const LinearPlan plan = type.plan(40, 3);
    const AlignedMemory packed(4096);
    std::vector<std::int8_t> weight(std::size_t{40} * 3, 1);
    std::vector<std::int8_t> multipliers(6, 1);
    const std::vector<float> scales(3, 1.0F);
    const auto pack = [&] {
      return pack_linear_quantized(plan, weight.data(), multipliers.data(), scales.data(), nullptr, packed.span());
    };
    EXPECT_EQ(pack(), Status::ok);
    weight[77] = type.weights == DataType::int4_multipliers ? std::int8_t{8} : std::int8_t{-128};
    EXPECT_EQ(pack(), Status::bad_option);
    weight[77] = 0;
    multipliers[5] = 64;
    EXPECT_EQ(pack(), type.weights == DataType::int8 ? Status::ok : Status::bad_option);
    LinearPlan floats;
    ASSERT_EQ(make_plan({.inputs = 40, .outputs = 3, .type = DataType::int8}, floats), Status::ok);
    EXPECT_EQ(pack_linear_quantized(floats, weight.data(), multipliers.data(), scales.data(), nullptr, packed.span()),
              Status::plan_mismatch);
  }
}

TEST(IntegerLinear, IsPlannedForTypesThatGoTogether) {
  LinearPlan plan;
  const auto status = [&plan](DataType type, DataType rows) {
    return make_plan({.inputs = 8, .outputs = 8, .type = type, .row_type = rows}, plan);
  };
  for (const DataType rows : {DataType::int8, DataType::int16}) {
    for (const DataType type : {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8_groups,
                                DataType::int4_groups, DataType::int4, DataType::int8_channels, DataType::int16}) {
      EXPECT_EQ(status(type, rows), Status::bad_option);
    }
    EXPECT_EQ(status(DataType::int8, rows), Status::ok);
  }
  EXPECT_EQ(status(DataType::int8_multipliers, DataType::float32), Status::bad_option);
  EXPECT_EQ(status(DataType::int4_multipliers, DataType::float32), Status::bad_option);
  EXPECT_EQ(status(DataType::int8, DataType::float16), Status::bad_option);
  EXPECT_EQ(status(DataType::int8, static_cast<DataType>(11)), Status::bad_option);
}

}  // namespace
}  // namespace heed::test
