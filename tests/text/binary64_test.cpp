// SPDX-License-Identifier: MIT
//
// Sums and comparisons of scores in integers against those of this machine's doubles.
#include <gtest/gtest.h>

#include <bit>
#include <text/binary64.hpp>
#include <vector>

#include "support/effort.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

std::uint64_t bits_of(double number) {
  return std::bit_cast<std::uint64_t>(number);
}

void expect_same(double a, double b) {
  ASSERT_EQ(detail::add_binary64(bits_of(a), bits_of(b)), bits_of(a + b)) << a << " + " << b;
  ASSERT_EQ(detail::greater_binary64(bits_of(a), bits_of(b)), a > b) << a << " > " << b;
}

TEST(Binary64, AddsAndComparesAsTheMachine) {
  Random random(11);
  for (std::uint32_t i = 0; i < 4000000 / case_divisor(); ++i) {
    const std::uint64_t first = random.bits();
    const std::uint64_t second = random.bits();
    // Exponents near each other, few bits for ties, and signs that cancel.
    const std::uint64_t few = i % 3 == 0 ? ~std::uint64_t{0} << random.between(0, 51) : ~std::uint64_t{0};
    const std::uint64_t exponent = 1023 - 30 + random.between(0, 60);
    const std::uint64_t near = exponent + random.between(0, i % 2 == 0 ? 3 : 80) - (i % 2 == 0 ? 1 : 40);
    constexpr std::uint64_t kept = 0x800FFFFFFFFFFFFFU;
    const double a = std::bit_cast<double>((first & kept & few) | exponent << 52);
    const double b = std::bit_cast<double>((second & kept & few) | near << 52);
    expect_same(a, b);
  }
}

TEST(Binary64, AddsAndComparesAtTheEnds) {
  const std::vector<double> numbers{0.0,
                                    1.0,
                                    -1.0,
                                    0x1p-400,
                                    -0x1p-400,
                                    0x1p400,
                                    -0x1p400,
                                    0x1p53,
                                    -0x1p53,
                                    0x1p-53,
                                    -0x1p-53,
                                    0x1.fffffffffffffp0,
                                    -0x1.fffffffffffffp0,
                                    3.0,
                                    -0x1p-54,
                                    0x1p-54,
                                    0x1.8p-53,
                                    -10.0};
  for (const double a : numbers) {
    for (const double b : numbers) expect_same(a, b);
  }
}

/// What decides between two ways to read a text: sums from the left, of which the last bits differ.
TEST(Binary64, SumsAlongAPath) {
  Random random(12);
  for (std::uint32_t path = 0; path < 2000 / case_divisor() + 1; ++path) {
    double expected = 0;
    std::uint64_t sum = 0;
    for (int i = 0; i < 400; ++i) {
      const double score = -static_cast<double>(random.bits() >> 11) * 0x1p-49;
      expected += score;
      sum = detail::add_binary64(bits_of(score), sum);
      ASSERT_EQ(sum, bits_of(expected));
    }
  }
}

}  // namespace
}  // namespace heed::test
