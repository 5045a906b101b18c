// SPDX-License-Identifier: MIT
//
// Normalizations and activations have the same bits on every port.
#include <gtest/gtest.h>

#include "heed/heed.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

// The golden values of the arithmetic. They change only when the meaning of a result changes.
constexpr std::uint64_t golden_layer_norm = 0x161A7DEC7C7ABCEDU;
constexpr std::uint64_t golden_rms_norm = 0x5B910CD45FF119D4U;
constexpr std::uint64_t golden_activations[] = {0xFCE41257A38D1FABU, 0xDA5DBE97041F199DU, 0xBF5721924DBFF4ADU,
                                                0xCA355F4D01AD04DCU};
constexpr std::uint64_t golden_gates[] = {0x9F1660C11327E337U, 0x24AB91747BF2A624U, 0x8C756F941D31FAF6U,
                                          0x16B5C2FECE2B08D8U};

constexpr std::uint32_t rows = 3;

std::uint32_t dim_of(std::uint32_t number) {
  return number < 40 ? number + 1 : 37 * number;
}

TEST(NnBits, GoldenHashOfNormalizations) {
  Hash layer, rms;
  for (std::uint32_t number = 0; number < 60; ++number) {
    const std::uint32_t dim = dim_of(number);
    Random random(number);
    const std::vector<float> x = random.normals(std::size_t{rows} * dim, number % 2 == 0 ? 1.0F : 300.0F);
    const std::vector<float> weight = random.normals(dim);
    const std::vector<float> bias = number % 3 == 0 ? std::vector<float>() : random.normals(dim);
    std::vector<float> y(x.size());
    const ConstMatrix input = dense(x.data(), rows, dim);
    ASSERT_EQ(layer_norm(input, rows, dim, weight, bias, 1e-5F, dense(y.data(), rows, dim)), Status::ok);
    layer.add(y);
    ASSERT_EQ(rms_norm(input, rows, dim, weight, 1e-6F, dense(y.data(), rows, dim)), Status::ok);
    rms.add(y);
  }
  EXPECT_EQ(layer.value(), golden_layer_norm) << std::hex << layer.value();
  EXPECT_EQ(rms.value(), golden_rms_norm) << std::hex << rms.value();
}

TEST(NnBits, GoldenHashOfActivations) {
  for (std::uint32_t kind = 0; kind < 4; ++kind) {
    Hash plain, gates;
    for (std::uint32_t number = 0; number < 60; ++number) {
      const std::uint32_t dim = dim_of(number);
      Random random(number);
      // As far as the numbers where the results become 0.
      const std::vector<float> gate = random.normals(std::size_t{rows} * dim, number % 3 == 0 ? 40.0F : 3.0F);
      // At least 1, or 0: no product is subnormal.
      std::vector<float> values = random.normals(gate.size(), 0x1p16F);
      const MutableMatrix matrix = dense(values.data(), rows, dim);
      ASSERT_EQ(gated(Activation{static_cast<std::uint8_t>(kind)}, dense(gate.data(), rows, dim), matrix, rows, dim),
                Status::ok);
      gates.add(values);
      values = gate;
      ASSERT_EQ(activate(Activation{static_cast<std::uint8_t>(kind)}, matrix, rows, dim), Status::ok);
      plain.add(values);
    }
    EXPECT_EQ(plain.value(), golden_activations[kind]) << kind << ' ' << std::hex << plain.value();
    EXPECT_EQ(gates.value(), golden_gates[kind]) << kind << ' ' << std::hex << gates.value();
  }
}

}  // namespace
}  // namespace heed::test
