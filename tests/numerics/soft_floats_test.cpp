// SPDX-License-Identifier: MIT
//
// The multiply-add and the square root of ports without a floating-point unit against those of this machine.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <kernels/exp2.hpp>
#include <long_products/top_products.hpp>
#include <long_products/top_sums.hpp>
#include <soft_floats/addition.hpp>
#include <soft_floats/detail/exp2_in_integers.hpp>
#include <soft_floats/divide.hpp>
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/products.hpp>
#include <soft_floats/small_operations.hpp>
#include <soft_floats/square_root.hpp>

#include "support/floats.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

using port::IntegerUnit;

/// To the bit; every NaN counts as the same.
bool same(float found, float expected) {
  return expected != expected ? found != found : bits_of(found) == bits_of(expected);
}

/// By the one copy that code for size has, of numbers that are neither 0 nor infinite or NaN.
template <IntegerUnit unit>
bool is_right_by_bits(float a, float b, float c, float expected) {
  for (const float x : {a, b, c}) {
    if (x == 0.0F || !(x - x == 0.0F)) return true;
  }
  const port::Parts parts[] = {port::parts_of(bits_of(a)), port::parts_of(bits_of(b)), port::parts_of(bits_of(c))};
  return same(port::fuse_bits<unit>(parts[0].bits, parts[1].bits, parts[2].bits,
                                    port::joined_exponents(parts[0], parts[1], parts[2])),
              expected);
}

/// As each kind of integer unit computes it.
bool is_right(float a, float b, float c) {
  const float expected = __builtin_fmaf(a, b, c);
  if (!is_right_by_bits<IntegerUnit{true, true}>(a, b, c, expected)) return false;
  if (!is_right_by_bits<IntegerUnit{true, false}>(a, b, c, expected)) return false;
  if (!is_right_by_bits<IntegerUnit{false, false}>(a, b, c, expected)) return false;
  return same(port::fused_multiply_add<IntegerUnit{true, true}>(a, b, c), expected) &&
         same(port::fused_multiply_add<IntegerUnit{true, false}>(a, b, c), expected) &&
         same(port::fused_multiply_add<IntegerUnit{false, false}>(a, b, c), expected);
}

struct Case {
  std::uint32_t a, b, c;
};

std::uint32_t with_exponent(std::uint32_t bits, std::int32_t exponent) {
  const std::int32_t kept = exponent < 0 ? 0 : exponent > 254 ? 254 : exponent;
  return (bits & 0x807FFFFFU) | static_cast<std::uint32_t>(kept) << 23;
}

/// One of eight kinds.
Case make_case(Random& random) {
  const std::uint64_t first = random.bits();
  const std::uint64_t second = random.bits();
  Case made{static_cast<std::uint32_t>(first >> 32), static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(second >> 32)};
  const auto choice = static_cast<std::int32_t>(second >> 3 & 63U);
  const std::int32_t exponent = port::exponent_of(made.a) + port::exponent_of(made.b) - 127;
  switch (second & 7U) {
    case 0: made.c = with_exponent(made.c, exponent + choice - 32); break;     // the sum has bits of both
    case 1: made.c = with_exponent(made.c, exponent + choice % 4 - 1); break;  // exponents near each other
    case 2:                                                                    // cancellation, down to the last bits
      made.c = bits_of(-(from_bits(made.a) * from_bits(made.b))) + static_cast<std::uint32_t>(choice % 8) - 3;
      break;
    case 3:  // few bits: ties, and sums that are 0
      made = {made.a & 0xFFFFF000U, made.b & 0xFFFFF000U, with_exponent(made.c, exponent + choice - 32) & 0xFFFFFF00U};
      break;
    case 4:  // subnormal products and sums
      made.a = with_exponent(made.a, choice + 20);
      made.b = with_exponent(made.b, 107 + static_cast<std::int32_t>(second >> 9 & 31U) - choice - 20);
      made.c &= 0x80FFFFFFU;
      break;
    case 5:  // subnormal factors
      made.a &= 0x807FFFFFU;
      made.c = with_exponent(made.c, exponent + choice - 32);
      break;
    case 6:  // sums at the overflow
      made.a = with_exponent(made.a, 127 + choice);
      made.b = with_exponent(made.b, 253 - choice);
      made.c = with_exponent(made.c, 254 - static_cast<std::int32_t>(second >> 9 & 31U));
      break;
    default: break;  // any bits
  }
  return made;
}

/// What kernels of integers ask for, in steps of floats.
template <IntegerUnit unit>
bool are_products_right(const Case& made) {
  const float a = from_bits(made.a);
  const float b = from_bits(made.b);
  const auto sum = static_cast<std::int32_t>(made.c) >> (made.c % 32);
  if (!same(port::scaled_sum<unit>(0, a, b), 0.0F * (a * b))) return false;
  if (!same(port::multiply<unit>(a, b), a * b) || !same(port::divide<unit>(a, b), a / b)) return false;
  const std::uint32_t share = made.c % 8193;
  if (float part = 0.0F; port::multiply_by_share<unit, 13>(a, share, part)) {
    if (!same(part, a * (static_cast<float>(share) * 0x1p-13F))) return false;
  }
  const std::uint32_t finer = made.c % 16385;
  if (float part = 0.0F; port::multiply_by_share<unit, 14>(a, finer, part)) {
    if (!same(part, a * (static_cast<float>(finer) * 0x1p-14F))) return false;
  }
  if (!same(port::add_numbers<unit>(a, b), a + b)) return false;
  if (port::is_less(a, b) != (a < b) || port::is_less(b, a) != (b < a)) return false;
  const float scaled = static_cast<float>(sum) * (a * b);
  if (!same(port::scaled_sum<unit>(sum, a, b), scaled)) return false;
  if (float part = 0.0F; port::scale_by_row<unit>(sum, a, port::row_scale_of(b), part) && !same(part, scaled)) {
    return false;
  }
  const float factor = from_bits(with_exponent(made.b & ~sign_bit, 60 + static_cast<std::int32_t>(made.c % 175)));
  const std::int32_t exponent = 274 - port::exponent_of(bits_of(factor)) - static_cast<std::int32_t>(made.c / 256 % 32);
  const float x = from_bits(with_exponent(made.a, exponent));
  const float shift = 12582912.0F;
  const std::int32_t number = static_cast<std::int32_t>(bits_of(x * factor + shift) - bits_of(shift));
  return port::rounded_product<unit>(x, factor) == number;
}

/// What a port without long products has in code for size: of the numbers, and of a product and what may cancel it.
bool are_small_right(const Case& made) {
  const float a = from_bits(made.a);
  const float b = from_bits(made.b);
  const float c = from_bits(made.c);
  const auto number = static_cast<std::int32_t>(made.c) >> (made.b % 32);
  // Of few bits, half of them, so that halves are among them.
  const std::uint32_t kept = UINT32_MAX << (made.b % 2 == 0 ? 0U : made.b / 2 % 24);
  const float near = from_bits(with_exponent(made.a & kept, 117 + static_cast<std::int32_t>(made.c % 34)));
  const std::uint32_t dividend = made.a >> (made.c % 32);
  const std::uint32_t divisor = (made.b >> 1 >> (made.c >> 8) % 31) | 1U;
  return same(port::small_sum(a, b), a + b) && same(port::small_sum(a * b, c), a * b + c) &&
         same(port::small_product(a, b), a * b) && same(port::small_quotient(a, b), a / b) &&
         same(port::small_quotient(a, from_bits(made.b & ~sign_bit)), a / from_bits(made.b & ~sign_bit)) &&
         same(port::small_conversion(number), static_cast<float>(number)) &&
         port::small_rounding(near) == static_cast<std::int32_t>(__builtin_rintf(near)) &&
         port::small_whole_quotient(dividend, divisor) == dividend / divisor;
}

/// What ports with products of 64 bits have in the code of a loop.
template <IntegerUnit unit>
bool are_loops_right(const Case& made) {
  const float a = from_bits(made.a);
  const float b = from_bits(made.b);
  const float c = from_bits(made.c);
  const port::RowScale row = port::row_scale_of(b);
  const auto sum = static_cast<std::int32_t>(made.c) >> (made.c % 32);
  const std::uint32_t share = made.a % 8193;
  float found = 0.0F;
  if (port::multiply_normal<unit>(a, b, found) && !same(found, a * b)) return false;
  if (!same(port::multiplied<unit>(a, row), a * b)) return false;
  if (port::multiply_both<unit>(a, row, c, found) && !same(found, a * b * c)) return false;
  if (!same(port::multiplied_sum<unit>(sum, row), static_cast<float>(sum) * b)) return false;
  if (port::multiply_share<unit, 13>(b, share, c, found) &&
      !same(found, b * (static_cast<float>(share) * 0x1p-13F) * c)) {
    return false;
  }
  if (!same(port::sum_here<unit>(a, c), a + c)) return false;
  return same(port::fused_here<unit>(a, b, c), __builtin_fmaf(a, b, c));
}

/// A million, or HEED_SOFT_FLOAT_CASES in the environment.
std::uint64_t case_count() {
  const char* text = std::getenv("HEED_SOFT_FLOAT_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1'000'000U;
}

TEST(SoftFloats, FusedMultiplyAddOfRandomNumbers) {
  Random random(41);
  const std::uint64_t count = case_count();
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Case made = make_case(random);
    if (is_right(from_bits(made.a), from_bits(made.b), from_bits(made.c))) continue;
    if (wrong++ < 10) std::printf("%08x * %08x + %08x\n", made.a, made.b, made.c);
  }
  std::printf("%llu wrong of %llu\n", static_cast<unsigned long long>(wrong), static_cast<unsigned long long>(count));
  EXPECT_EQ(wrong, 0U);
}

TEST(SoftFloats, FusedMultiplyAddOfSpecialNumbers) {
  constexpr std::uint32_t special[] = {0,          1,          2,          0x3FFFFF,   0x400000,   0x7FFFFF,
                                       0x800000,   0x800001,   0xFFFFFF,   0x1000000,  0x33800000, 0x34000000,
                                       0x3F000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FC00000, 0x4B000000,
                                       0x4B800001, 0x5F7FFFFF, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000};
  for (const std::uint32_t a : special) {
    for (const std::uint32_t b : special) {
      for (const std::uint32_t c : special) {
        for (std::uint32_t signs = 0; signs < 8; ++signs) {
          const Case made{a | signs << 31, b | signs >> 1 << 31, c | signs >> 2 << 31};
          EXPECT_TRUE(are_small_right(made)) << std::hex << made.a << ' ' << made.b << ' ' << made.c;
          EXPECT_TRUE((are_products_right<IntegerUnit{true, true}>(made))) << std::hex << made.a << ' ' << made.b;
          EXPECT_TRUE(
              (are_loops_right<IntegerUnit{true, true}>(made) && are_loops_right<IntegerUnit{true, false}>(made)))
              << std::hex << made.a << ' ' << made.b << ' ' << made.c;
          EXPECT_TRUE(is_right(from_bits(made.a), from_bits(made.b), from_bits(made.c)))
              << std::hex << made.a << ' ' << made.b << ' ' << made.c;
        }
      }
    }
  }
}

TEST(SoftFloats, ProductsOfRandomNumbers) {
  Random random(43);
  for (std::uint64_t i = 0; i < case_count(); ++i) {
    const Case made = make_case(random);
    if (are_products_right<IntegerUnit{true, true}>(made) && are_products_right<IntegerUnit{true, false}>(made) &&
        are_products_right<IntegerUnit{false, false}>(made)) {
      continue;
    }
    FAIL() << std::hex << made.a << ' ' << made.b << ' ' << made.c;
  }
}

TEST(SoftFloats, SmallOperationsOnRandomNumbers) {
  Random random(46);
  for (std::uint64_t i = 0; i < case_count(); ++i) {
    const Case made = make_case(random);
    if (!are_small_right(made)) FAIL() << std::hex << made.a << ' ' << made.b << ' ' << made.c;
  }
}

TEST(SoftFloats, LoopsOfRandomNumbers) {
  Random random(45);
  for (std::uint64_t i = 0; i < case_count(); ++i) {
    const Case made = make_case(random);
    if (are_loops_right<IntegerUnit{true, true}>(made) && are_loops_right<IntegerUnit{true, false}>(made)) continue;
    FAIL() << std::hex << made.a << ' ' << made.b << ' ' << made.c;
  }
}

TEST(SoftFloats, Exp2) {
  Random random(44);
  for (std::uint64_t i = 0; i < case_count(); ++i) {
    const float x = from_bits(random.between(0xBB800000U, 0xC2F9FFFFU));
    const float expected = port::maximum(detail::exp2_nonpositive(port::set(x)));
    if (same(detail::exp2_in_integers<IntegerUnit{true, true}>(x), expected) &&
        same(detail::exp2_in_integers<IntegerUnit{true, false}>(x), expected) &&
        same(detail::exp2_in_integers<IntegerUnit{false, false}>(x), expected)) {
      continue;
    }
    FAIL() << x;
  }
  for (const float x : {-0.0F, -0x1p-9F, -125.0F, -127.0F, 1.0F}) EXPECT_FALSE(detail::has_exp2_in_integers(x)) << x;
  for (const float x : {-0x1p-8F, -0.5F, -1.5F, -124.5F}) EXPECT_TRUE(detail::has_exp2_in_integers(x)) << x;
}

TEST(SoftFloats, SquareRoot) {
  Random random(42);
  for (std::uint64_t i = 0; i < case_count(); ++i) {
    // Every second one small: squares of few bits have roots that are exact, and subnormal numbers.
    const auto bits = static_cast<std::uint32_t>(random.bits() >> 32) >> (i % 2 == 0 ? 0 : i % 32);
    const float x = from_bits(bits);
    if (!same(port::soft_square_root(x), __builtin_sqrtf(x))) FAIL() << std::hex << bits;
    if (!same(port::small_square_root(x), __builtin_sqrtf(x))) FAIL() << std::hex << bits;
    const float exact = static_cast<float>(bits >> 20) * static_cast<float>(bits >> 20);
    if (!same(port::soft_square_root(exact), __builtin_sqrtf(exact))) FAIL() << exact;
    if (!same(port::small_square_root(exact), __builtin_sqrtf(exact))) FAIL() << exact;
  }
  for (const std::uint32_t bits : {0U, sign_bit, infinity_bits, infinity_bits | sign_bit, 0x7FC00000U, 0xBF800000U}) {
    EXPECT_TRUE(same(port::soft_square_root(from_bits(bits)), __builtin_sqrtf(from_bits(bits)))) << bits;
    EXPECT_TRUE(same(port::small_square_root(from_bits(bits)), __builtin_sqrtf(from_bits(bits)))) << bits;
  }
}

}  // namespace
}  // namespace heed::test
