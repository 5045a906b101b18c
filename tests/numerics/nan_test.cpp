// SPDX-License-Identifier: MIT
//
// NaNs of any sign and payload, signalling ones too: the result is NaN in just the places where it should be, and all
// else has the bits that it has with the NaN that arithmetic makes.
#include <gtest/gtest.h>

#include <bit>

#include "options/options_random.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t patterns[] = {0x7FC00000U, 0xFFC00000U, 0x7F800001U, 0xFF800001U, 0x7FFFFFFFU,
                                      0xFFFFFFFFU, 0x7FC12345U, 0xFFA54321U, 0x7FE00100U, 0xFFC00001U};

/// Where a case gets its NaNs.
enum class Place : std::uint8_t { query, key, value, mask, pre_softcap_bias, relative_bias, slope };
constexpr std::uint32_t place_count = 7;

std::vector<float>& numbers_at(OptionsCase& c, Place place) {
  switch (place) {
    case Place::query: return c.base.query;
    case Place::key: return c.base.key;
    case Place::value: return c.base.value;
    case Place::mask: return c.mask.values;
    case Place::pre_softcap_bias: return c.pre_softcap_bias.values;
    case Place::relative_bias: return c.relative;
    case Place::slope: return c.slopes;
  }
  return c.base.query;
}

void add_places(Random& random, OptionsCase& c, Place place) {
  if (place == Place::mask) add_option(random, c, Option::mask);
  if (place == Place::pre_softcap_bias) add_option(random, c, Option::pre_softcap_bias);
  if (place == Place::relative_bias) add_option(random, c, Option::relative_bias);
  if (place == Place::slope) add_option(random, c, Option::alibi);
}

/// The bits of a NaN are copied as they are.
void put(std::uint32_t bits, float& to) {
  std::memcpy(&to, &bits, sizeof to);
}

bool any_nan(const float* from, std::uint32_t count) {
  return std::any_of(from, from + count, [](float x) { return std::isnan(x); });
}

bool score_is_nan(const OptionsCase& c, std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j) {
  const AttentionShape& s = c.base.shape;
  const std::size_t kv = std::size_t{b} * s.kv_heads + h / (s.heads / s.kv_heads);
  if (any_nan(&c.base.query[((std::size_t{b} * s.heads + h) * s.queries + i) * s.head_dim], s.head_dim)) return true;
  if (any_nan(&c.base.key[(kv * s.keys + j) * s.head_dim], s.head_dim)) return true;
  if (!c.mask.empty() && std::isnan(c.mask.at(b, h, i, j))) return true;
  if (!c.pre_softcap_bias.empty() && j < c.pre_softcap_bias.keys && std::isnan(c.pre_softcap_bias.at(b, h, i, j)))
    return true;
  if (!c.slopes.empty() && std::isnan(c.slopes[h])) return true;
  return !c.relative.empty() && std::isnan(c.relative_bias(b, h, i, j));
}

/// NaN in a visible score makes the row NaN; NaN in the value of a visible key, its column.
std::uint32_t expect_nan_where_it_should_be(const OptionsCase& c, const Result& got) {
  const AttentionShape& s = c.base.shape;
  std::uint32_t found = 0;
  std::size_t row = 0;
  for (std::uint32_t b = 0; b < s.batch; ++b)
    for (std::uint32_t h = 0; h < s.heads; ++h)
      for (std::uint32_t i = 0; i < s.queries; ++i, ++row) {
        bool row_is_nan = false;
        std::vector<bool> column_is_nan(s.value_dim);
        const std::size_t kv = std::size_t{b} * s.kv_heads + h / (s.heads / s.kv_heads);
        for (std::uint32_t j = 0; j < s.keys; ++j) {
          if (!c.seen(b, h, i, j)) continue;
          row_is_nan = row_is_nan || score_is_nan(c, b, h, i, j);
          for (std::uint32_t d = 0; d < s.value_dim; ++d) {
            if (std::isnan(c.base.value[(kv * s.keys + j) * s.value_dim + d])) column_is_nan[d] = true;
          }
        }
        EXPECT_EQ(std::isnan(got.log_sum_exp[row]), row_is_nan) << describe(c);
        for (std::uint32_t d = 0; d < s.value_dim; ++d) {
          const bool expected = row_is_nan || column_is_nan[d];
          EXPECT_EQ(std::isnan(got.output[row * s.value_dim + d]), expected) << describe(c);
          found += expected ? 1 : 0;
        }
      }
  return found;
}

TEST(Nan, OfAnySignAndPayloadIsInJustTheRowsThatSeeIt) {
  std::uint32_t found = 0;
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 700; number += step) {
    Random random(95000 + number);
    OptionsCase c = any_options(random, number % 50 == 0 ? Size::large : number % 10 == 0 ? Size::medium : Size::small);
    const auto place = static_cast<Place>(random.between(0, place_count - 1));
    add_places(random, c, place);
    std::vector<float>& numbers = numbers_at(c, place);
    if (numbers.empty()) continue;
    OptionsCase canonical = c;
    for (std::uint32_t n = random.between(1, 3); n > 0; --n) {
      const std::uint32_t at = random.between(0, static_cast<std::uint32_t>(numbers.size() - 1));
      put(patterns[random.between(0, std::size(patterns) - 1)], numbers[at]);
      put(patterns[0], numbers_at(canonical, place)[at]);
    }
    const OptionsManner manner = any_options_manner(random, c.base.shape);
    const Result got = run(c, manner);
    const Result expected = run(canonical, manner);
    ASSERT_EQ(got.status, Status::ok);
    found += expect_nan_where_it_should_be(c, got);
    ASSERT_FALSE(HasFailure()) << "case " << number;
    ASSERT_TRUE(same_bits(got.output, expected.output)) << describe(c);
    ASSERT_TRUE(same_bits(got.log_sum_exp, expected.log_sum_exp)) << describe(c);
    ASSERT_TRUE(same_bits(got.scores, expected.scores)) << describe(c);
  }
  EXPECT_GT(found, 5000 / step);
}

}  // namespace
}  // namespace heed::test
