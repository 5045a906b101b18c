// SPDX-License-Identifier: MIT
//
// Stored numbers into lanes and floats into stored numbers, against their definitions in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <kernels/convert.hpp>
#include <limits>

#include "common/half.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A format of sixteen bits: a sign, an exponent, and `digits` of fraction.
struct Format {
  int digits;
  int bias;
  std::uint16_t (*encode)(float);
  port::f32x16 (*load)(const std::uint16_t*);

  std::uint32_t infinity_bits() const { return 0x8000U - (1U << digits); }

  /// The value of a pattern by its definition.
  double value(std::uint32_t pattern) const {
    const std::uint32_t magnitude = pattern & 0x7FFFU;
    const auto exponent = static_cast<int>(magnitude >> digits);
    const auto fraction = static_cast<int>(magnitude & ((1U << digits) - 1));
    double absolute = exponent == 0 ? std::ldexp(fraction, 1 - bias - digits)
                                    : std::ldexp(fraction + (1 << digits), exponent - bias - digits);
    if (magnitude == infinity_bits()) absolute = infinity;
    if (magnitude > infinity_bits()) absolute = std::numeric_limits<double>::quiet_NaN();
    return (pattern & 0x8000U) != 0 ? -absolute : absolute;
  }

  /// The nearest value of the format, of two the even one; not for NaN.
  double nearest(double x) const {
    if (x == 0 || std::isinf(x)) return x;
    const int exponent = std::max(std::ilogb(x), 1 - bias);
    const double unit = std::ldexp(1.0, exponent - digits);
    const double rounded = std::nearbyint(x / unit) * unit;
    return std::abs(rounded) >= std::ldexp(1.0, bias + 1) ? std::copysign(infinity, x) : rounded;
  }
};

port::f32x16 load_half(const std::uint16_t* from) {
  return detail::load_half(from);
}
port::f32x16 load_bfloat16(const std::uint16_t* from) {
  return detail::load_bfloat16(from);
}

constexpr Format half{10, 15, detail::to_half, load_half};
constexpr Format bfloat16{7, 127, detail::to_bfloat16, load_bfloat16};

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void check_load(const Format& format) {
  // One element off any alignment of vectors.
  std::uint16_t patterns[port::lanes + 1];
  float values[port::lanes];
  for (std::uint32_t first = 0; first < 0x10000U; first += port::lanes) {
    for (std::uint32_t i = 0; i < port::lanes; ++i) patterns[i + 1] = static_cast<std::uint16_t>(first + i);
    port::store(values, format.load(patterns + 1));
    for (std::uint32_t i = 0; i < port::lanes; ++i) {
      const double exact = format.value(first + i);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(values[i])) << first + i;
      } else {
        ASSERT_EQ(bits_of(values[i]), bits_of(static_cast<float>(exact))) << first + i;
      }
    }
  }
}

void check_encoded(const Format& format, float x) {
  const std::uint16_t pattern = format.encode(x);
  if (std::isnan(x)) {
    ASSERT_GT(pattern & 0x7FFFU, format.infinity_bits()) << bits_of(x);
    ASSERT_NE(pattern & (1U << (format.digits - 1)), 0U) << "not quiet: " << bits_of(x);
    ASSERT_EQ(pattern >> 15, bits_of(x) >> 31) << bits_of(x);
    return;
  }
  const double expected = format.nearest(x);
  ASSERT_EQ(format.value(pattern), expected) << bits_of(x);
  ASSERT_EQ(pattern >> 15, bits_of(x) >> 31) << bits_of(x);
}

/// Every value of the format, the number halfway to the next one, and the floats on both sides of each.
void check_encode(const Format& format) {
  for (std::uint32_t pattern = 0; pattern < 0x10000U; ++pattern) {
    const double value = format.value(pattern);
    const auto x = static_cast<float>(value);
    ASSERT_NO_FATAL_FAILURE(check_encoded(format, x));
    if (!std::isfinite(value)) continue;
    if (x != 0.0F) {
      ASSERT_EQ(format.encode(x), pattern);
    }
    // Behind the greatest value lies the one that would follow if exponents went on.
    const std::uint32_t next = pattern + 1;
    const double other = (next & 0x7FFFU) == format.infinity_bits()
                             ? std::copysign(std::ldexp(1.0, format.bias + 1), value)
                             : format.value(next);
    const auto middle = static_cast<float>((value + other) / 2);
    for (const float centre : {x, middle}) {
      ASSERT_NO_FATAL_FAILURE(check_encoded(format, centre));
      ASSERT_NO_FATAL_FAILURE(check_encoded(format, from_bits(bits_of(centre) + 1)));
      if (centre != 0.0F) {
        ASSERT_NO_FATAL_FAILURE(check_encoded(format, from_bits(bits_of(centre) - 1)));
      }
    }
  }
  Random random(17);
  for (int i = 0; i < 1000000; ++i) {
    ASSERT_NO_FATAL_FAILURE(check_encoded(format, from_bits(static_cast<std::uint32_t>(random.bits()))));
  }
}

TEST(Convert, EveryHalf) {
  check_load(half);
}

TEST(Convert, EveryBfloat16) {
  check_load(bfloat16);
}

TEST(Convert, EveryInt8) {
  std::int8_t bytes[port::lanes + 1] = {};
  float values[port::lanes];
  for (int first = -128; first < 128; ++first) {
    for (int i = 0; i < port::lanes; ++i) bytes[i + 1] = static_cast<std::int8_t>((first + 128 + 29 * i) % 256 - 128);
    port::store(values, detail::load_int8(bytes + 1));
    for (int i = 0; i < port::lanes; ++i) ASSERT_EQ(values[i], static_cast<float>(bytes[i + 1])) << first << ' ' << i;
  }
}

TEST(Convert, EveryByteOfInt4) {
  std::uint8_t bytes[port::lanes / 2 + 1] = {};
  float values[port::lanes];
  for (int first = 0; first < 256; ++first) {
    for (int i = 0; i < 8; ++i) bytes[i + 1] = static_cast<std::uint8_t>((first + 29 * i) % 256);
    port::store(values, detail::load_int4(bytes + 1));
    for (int i = 0; i < 8; ++i) {
      ASSERT_EQ(values[i], static_cast<float>(bytes[i + 1] % 16 - 8)) << first << ' ' << i;
      ASSERT_EQ(values[i + 8], static_cast<float>(bytes[i + 1] / 16 - 8)) << first << ' ' << i;
    }
  }
}

TEST(Encode, HalfRoundsToNearestEven) {
  check_encode(half);
  EXPECT_EQ(detail::to_half(65504.0F), 0x7BFFU);
  EXPECT_EQ(detail::to_half(65519.996F), 0x7BFFU);
  EXPECT_EQ(detail::to_half(65520.0F), 0x7C00U);
  EXPECT_EQ(detail::to_half(-0x1p-25F), 0x8000U);
  EXPECT_EQ(detail::to_half(0x1.8p-25F), 0x0001U);
}

TEST(Encode, Bfloat16RoundsToNearestEven) {
  check_encode(bfloat16);
  EXPECT_EQ(detail::to_bfloat16(1.00390625F), 0x3F80U);
  EXPECT_EQ(detail::to_bfloat16(1.01171875F), 0x3F82U);
  EXPECT_EQ(detail::to_bfloat16(std::numeric_limits<float>::max()), 0x7F80U);
}

}  // namespace
}  // namespace heed::test
