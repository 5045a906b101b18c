// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/text.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

// The golden values of the arithmetic. They change only when the meaning of a result changes.
constexpr std::uint64_t golden_softmax = 0xEFA27305276B3116U;
constexpr std::uint64_t golden_top_k = 0xE8F3DB307D5A1AE3U;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> softmax_of(const std::vector<float>& logits, float temperature = 1.0F) {
  std::vector<float> p(logits.size(), -7.0F);
  EXPECT_EQ(softmax(logits.data(), static_cast<std::uint32_t>(logits.size()), temperature, p.data()), Status::ok);
  return p;
}

TEST(LogitsSoftmax, IsNearDoublePrecision) {
  Random random(31);
  for (std::uint32_t count = 1; count <= 5000; count += count < 70 ? 1 : 611) {
    for (const float temperature : {0.3F, 1.0F, 7.0F}) {
      const std::vector<float> logits = random.normals(count, 4.0F);
      const double greatest = *std::max_element(logits.begin(), logits.end());
      double sum = 0;
      for (const float x : logits) sum += std::exp((x - greatest) / static_cast<double>(temperature));
      const std::vector<float> p = softmax_of(logits, temperature);
      for (std::uint32_t i = 0; i < count; ++i) {
        const double exponent = (logits[i] - greatest) / static_cast<double>(temperature);
        const double exact = std::exp(exponent) / sum;
        if (exact < 0x1p-120) continue;
        ASSERT_NEAR(p[i], exact, exact * 0x1p-23 * (8 + count / 32.0 - 2 * exponent)) << count << ' ' << i;
      }
    }
  }
}

TEST(LogitsSoftmax, InPlaceAndShiftedByAnExactNumber) {
  Random random(32);
  for (const std::uint32_t count : {1U, 16U, 19U, 300U}) {
    std::vector<float> logits(count);
    for (float& x : logits) x = static_cast<float>(static_cast<int>(random.between(0, 640)) - 320) / 16.0F;
    const std::vector<float> apart = softmax_of(logits);
    std::vector<float> shifted = logits;
    for (float& x : shifted) x += 64.0F;
    EXPECT_EQ(softmax_of(shifted), apart);
    ASSERT_EQ(softmax(logits.data(), count, 1.0F, logits.data()), Status::ok);
    EXPECT_EQ(logits, apart);
  }
}

TEST(LogitsSoftmax, SpecialValues) {
  const std::vector<float> half = softmax_of({-infinity, 2.0F, -infinity, 2.0F, std::numeric_limits<float>::lowest()});
  EXPECT_EQ(half, (std::vector<float>{0.0F, 0.5F, 0.0F, 0.5F, 0.0F}));
  EXPECT_EQ(softmax_of({-3.0F}), std::vector<float>{1.0F});
  EXPECT_EQ(softmax_of(std::vector<float>(32, -1e38F)), std::vector<float>(32, 1.0F / 32));
  for (const float bad : {nan, -nan, infinity}) {
    for (const std::size_t at : {0U, 15U, 16U, 20U}) {
      std::vector<float> logits(21, 1.0F);
      logits[at] = bad;
      for (const float p : softmax_of(logits)) EXPECT_TRUE(std::isnan(p)) << bad << ' ' << at;
    }
  }
  for (const float p : softmax_of(std::vector<float>(17, -infinity))) EXPECT_TRUE(std::isnan(p));
  // The coldest and the warmest.
  EXPECT_EQ(softmax_of({1.0F, 1.5F}, 0x1p-126F), (std::vector<float>{0.0F, 1.0F}));
  EXPECT_EQ(softmax_of({1.0F, 1.5F}, 0x1p126F), (std::vector<float>{0.5F, 0.5F}));
}

/// Numbers with many equals, zeros of both signs, infinities and NaN among them.
std::vector<float> mixed(Random& random, std::uint32_t count, std::uint32_t kinds) {
  const float special[] = {0.0F, -0.0F, infinity, -infinity, nan, -nan};
  std::vector<float> logits(count);
  for (float& x : logits) {
    const std::uint32_t kind = random.between(0, kinds);
    x = kind < 6 ? special[kind] : static_cast<float>(random.between(0, 9)) - 5.0F;
  }
  return logits;
}

/// All indices in the order of the declaration.
std::vector<std::uint32_t> expected_order(const std::vector<float>& logits) {
  std::vector<std::uint32_t> numbers, rest;
  for (std::uint32_t i = 0; i < logits.size(); ++i) (std::isnan(logits[i]) ? rest : numbers).push_back(i);
  std::sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
    return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
  });
  numbers.insert(numbers.end(), rest.begin(), rest.end());
  return numbers;
}

TEST(LogitsSelection, AgreesWithASort) {
  Random random(33);
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t count = random.between(1, round % 10 == 0 ? 1500 : 40);
    // Few kinds: none but special numbers. Many: hardly any.
    const std::vector<float> logits = mixed(random, count, random.between(3, 60));
    const std::vector<std::uint32_t> order = expected_order(logits);
    ASSERT_EQ(argmax(logits.data(), count), order[0]);
    const std::uint32_t k = random.between(1, count);
    std::vector<std::uint32_t> indices(k + 1, 77777U);
    ASSERT_EQ(top_k(logits.data(), count, k, indices.data()), Status::ok);
    for (std::uint32_t i = 0; i < k; ++i) ASSERT_EQ(indices[i], order[i]) << count << ' ' << k << ' ' << i;
    ASSERT_EQ(indices[k], 77777U);
  }
}

TEST(LogitsSelection, Limits) {
  EXPECT_EQ(argmax(nullptr, 0), 0U);
  const std::vector<float> nothing(300, nan);
  EXPECT_EQ(argmax(nothing.data(), 300), 0U);
  std::vector<float> one(300, nan);
  one[299] = -infinity;
  EXPECT_EQ(argmax(one.data(), 300), 299U);
  for (std::uint32_t at = 0; at < 600; ++at) {
    std::vector<float> logits(600, -1.0F);
    logits[at] = 0x1p-120F;
    EXPECT_EQ(argmax(logits.data(), 600), at);
  }
}

TEST(LogitsBits, GoldenHash) {
  Hash probabilities, chosen;
  for (std::uint32_t number = 0; number < 60; ++number) {
    const std::uint32_t count = number < 40 ? number + 1 : 37 * number;
    Random random(number);
    const std::vector<float> logits = random.normals(count, 5.0F);
    std::vector<float> p(count);
    ASSERT_EQ(softmax(logits.data(), count, 0.75F + static_cast<float>(number % 3), p.data()), Status::ok);
    probabilities.add(p);
    std::vector<std::uint32_t> indices(1 + count / 3);
    ASSERT_EQ(top_k(logits.data(), count, static_cast<std::uint32_t>(indices.size()), indices.data()), Status::ok);
    EXPECT_EQ(indices[0], argmax(logits.data(), count));
    for (const std::uint32_t index : indices) {
      const auto exact = static_cast<float>(index);
      chosen.add({&exact, 1});
    }
  }
  EXPECT_EQ(probabilities.value(), golden_softmax) << std::hex << probabilities.value();
  EXPECT_EQ(chosen.value(), golden_top_k) << std::hex << chosen.value();
}

}  // namespace
}  // namespace heed::test
