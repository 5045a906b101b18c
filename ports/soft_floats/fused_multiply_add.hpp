// SPDX-License-Identifier: MIT
//
// a * b + c, rounded once to nearest even, in integer instructions of 32 bits: for CPUs without a floating-point unit.
// Subnormal numbers, zeros, infinities and NaN are what IEEE-754 says; the payload of a NaN is unspecified.
#pragma once

#include <bit>
#include <cstdint>

namespace heed::port {
inline namespace heed_own_code {

/// What an integer unit has: products of 64 bits, and an instruction that counts leading zeros.
struct IntegerUnit {
  bool long_product;
  bool leading_zeros;
};

/// 64 bits in two registers.
struct Wide {
  std::uint32_t high;
  std::uint32_t low;
};

/// A number other than 0 as sign, exponent and the 23 bits after the leading one: +-1.f * 2^(exponent - 127).
struct Parts {
  std::uint32_t bits;     ///< the sign, and f in the low 23; others are unspecified
  std::int32_t exponent;  ///< 1..254, or less if it was subnormal
};

#ifdef __OPTIMIZE_SIZE__
inline constexpr bool for_size = true;
#else
inline constexpr bool for_size = false;
#endif

inline constexpr std::uint32_t sign_bit = 0x80000000U;
inline constexpr std::uint32_t infinity_bits = 0x7F800000U;

[[nodiscard, gnu::always_inline]] inline std::int32_t exponent_of(std::uint32_t bits) noexcept {
  return static_cast<std::int32_t>(bits << 1 >> 24);
}

/// Neither 0 nor subnormal, infinite or NaN.
[[nodiscard, gnu::always_inline]] inline bool is_normal(std::int32_t exponent) noexcept {
  return static_cast<std::uint32_t>(exponent - 1) < 254U;
}

/// 1.f in the highest 24 bits.
[[nodiscard, gnu::always_inline]] inline std::uint32_t mantissa_of(std::uint32_t bits) noexcept {
  return bits << 8 | sign_bit;
}

/// x * y / 2 of mantissas at the top of their words: 2^61 at least, below 2^63.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline Wide half_product(std::uint32_t x, std::uint32_t y) noexcept {
  if constexpr (unit.long_product) {
    const std::uint64_t product = std::uint64_t{x} * (y >> 1);
    return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
  } else {
    const std::uint32_t x_high = x >> 20;
    const std::uint32_t y_high = y >> 20;
    const std::uint32_t x_low = x << 12 >> 20;
    const std::uint32_t y_low = y << 12 >> 20;
    const std::uint32_t middle = x_high * y_low + x_low * y_high;
    const std::uint32_t last = x_low * y_low;
    const std::uint32_t low = middle << 27;
    const std::uint32_t sum = low + (last << 15);
    return {(x_high * y_high << 7) + (middle >> 5) + (last >> 17) + (sum < low ? 1U : 0U), sum};
  }
}

/// Shifted right by count >= 0; the last bit is set if one that is lost was.
[[nodiscard, gnu::always_inline]] inline Wide shift_right(Wide x, std::uint32_t count) noexcept {
  if (count < 32) {
    const std::uint32_t lost = x.low << 1 << (31 - count);
    const std::uint32_t low = x.low >> count | x.high << 1 << (31 - count);
    return {x.high >> count, low | (lost != 0 ? 1U : 0U)};
  }
  if (count < 64) {
    const std::uint32_t lost = x.high << 1 << (63 - count) | x.low;
    return {0, x.high >> (count - 32) | (lost != 0 ? 1U : 0U)};
  }
  return {0, 1};
}

/// Shifted left until the highest bit is set; returns by how much. x is not 0.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::int32_t normalize(Wide& x) noexcept {
  std::int32_t count = 0;
  if constexpr (unit.leading_zeros) {
    if (x.high == 0) {
      x = {x.low, 0};
      count = 32;
    }
    const int zeros = std::countl_zero(x.high);
    x = {x.high << zeros | x.low >> 1 >> (31 - zeros), x.low << zeros};
    return count + zeros;
  } else {
    // Without cancellation two rounds of the second loop at most.
    for (; x.high < 1U << 24; count += 8) x = {x.high << 8 | x.low >> 24, x.low << 8};
    for (; x.high < sign_bit; ++count) x = {x.high << 1 | x.low >> 31, x.low << 1};
    return count;
  }
}

/// +-high * 2^(exponent - 158), rounded; high has its highest bit set, and its lowest if it is not exact.
[[nodiscard, gnu::always_inline]] inline float round_parts(std::uint32_t sign, std::int32_t exponent,
                                                           std::uint32_t high) noexcept {
  if (!is_normal(exponent)) {
    if (exponent > 0) return std::bit_cast<float>(sign | infinity_bits);
    const auto count = static_cast<std::uint32_t>(1 - exponent);
    high = count > 31 ? 1U : high >> count | (high << (32 - count) != 0 ? 1U : 0U);
    exponent = 0;  // and no leading one, unless rounding makes it
  } else {
    --exponent;  // to which the leading one adds 1
  }
  const std::uint32_t up = ((high & 0xFFU) + (high >> 8 & 1U) + 0x7FU) >> 8;
  return std::bit_cast<float>(sign | ((static_cast<std::uint32_t>(exponent) << 23) + (high >> 8) + up));
}

template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline float fuse_parts(Parts a, Parts b, Parts c) noexcept {
  // Both in units of which 2^63 is more than either: the product's, then those of the greater exponent.
  Wide product = half_product<unit>(mantissa_of(a.bits), mantissa_of(b.bits));
  Wide addend{mantissa_of(c.bits) >> 1, 0};
  std::uint32_t sign = (a.bits ^ b.bits) & sign_bit;
  std::int32_t exponent = a.exponent + b.exponent - 125;
  const std::int32_t distance = c.exponent + 1 - exponent;
  // What is lost is far below the rounding: an addend of 24 bits loses some from 40 places on, a product of 48 from 16.
  if (distance <= 0) {
    addend = shift_right(addend, static_cast<std::uint32_t>(-distance));
  } else {
    product = shift_right(product, static_cast<std::uint32_t>(distance));
    exponent = c.exponent + 1;
  }
  Wide sum;
  if ((sign ^ (c.bits & sign_bit)) == 0) {
    sum.low = product.low + addend.low;
    sum.high = product.high + addend.high + (sum.low < addend.low ? 1U : 0U);
  } else {
    sum.low = product.low - addend.low;
    sum.high = product.high - addend.high - (product.low < addend.low ? 1U : 0U);
    if ((sum.high & sign_bit) != 0) {
      sum.low = 0U - sum.low;
      sum.high = ~sum.high + (sum.low == 0 ? 1U : 0U);
      sign ^= sign_bit;
    }
    if ((sum.high | sum.low) == 0) return 0.0F;
  }
  exponent -= normalize<unit>(sum);
  return round_parts(sign, exponent, sum.high | (sum.low != 0 ? 1U : 0U));
}

/// Those of the factors together, times 2^10, and c's, which is above -2^9.
[[nodiscard, gnu::always_inline]] inline std::int32_t joined_exponents(Parts a, Parts b, Parts c) noexcept {
  return (a.exponent + b.exponent) * 1024 + (c.exponent + 512);
}

template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float fuse_bits(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                             std::int32_t exponents) noexcept {
  const std::int32_t addend = (exponents & 1023) - 512;
  return fuse_parts<unit>({a, 0}, {b, exponents >> 10}, {c, addend});
}

/// The same; in code for size, where two call it, by one copy, whose arguments are in registers.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline float fuse(Parts a, Parts b, Parts c) noexcept {
  if constexpr (!for_size) return fuse_parts<unit>(a, b, c);
  return fuse_bits<unit>(a.bits, b.bits, c.bits, joined_exponents(a, b, c));
}

/// Of a number that is neither 0 nor infinite or NaN.
[[nodiscard]] inline Parts parts_of(std::uint32_t bits) noexcept {
  std::int32_t exponent = exponent_of(bits);
  if (exponent != 0) return {bits, exponent};
  std::uint32_t fraction = bits & ~sign_bit;
  for (exponent = 1; fraction < 1U << 23; --exponent) fraction <<= 1;
  return {(bits & sign_bit) | (fraction & 0x7FFFFFU), exponent};
}

template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float multiply(float a, float b) noexcept;

/// In code for size, of a CPU without long products (small_operations.hpp).
[[nodiscard]] float small_sum(float a, float b) noexcept;
[[nodiscard]] float small_product(float a, float b) noexcept;

/// Where one of them is 0, subnormal, infinite or NaN.
template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float fuse_special(float a, float b, float c) noexcept {
  const auto a_bits = std::bit_cast<std::uint32_t>(a);
  const auto b_bits = std::bit_cast<std::uint32_t>(b);
  const auto c_bits = std::bit_cast<std::uint32_t>(c);
  constexpr bool takes_small = for_size && !unit.long_product;
  if constexpr (takes_small) {
    if (exponent_of(a_bits) == 255 || exponent_of(b_bits) == 255) return small_sum(small_product(a, b), c);
    if (exponent_of(c_bits) == 255) return c;
  } else {
    if (exponent_of(a_bits) == 255 || exponent_of(b_bits) == 255) return a * b + c;
    if (exponent_of(c_bits) == 255) return c + c;
  }
  const bool no_product = a_bits << 1 == 0 || b_bits << 1 == 0;
  if (c_bits << 1 == 0) {
    // The product alone; its sign holds even where it rounds to 0.
    if (no_product) return std::bit_cast<float>((a_bits ^ b_bits) & c_bits & sign_bit);
    if constexpr (takes_small) return small_product(a, b);
    return multiply<unit>(a, b);
  }
  if (no_product) return c;
  return fuse<unit>(parts_of(a_bits), parts_of(b_bits), parts_of(c_bits));
}

template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float fused_multiply_add(float a, float b, float c) noexcept {
  const auto a_bits = std::bit_cast<std::uint32_t>(a);
  const auto b_bits = std::bit_cast<std::uint32_t>(b);
  const auto c_bits = std::bit_cast<std::uint32_t>(c);
  const Parts a_parts{a_bits, exponent_of(a_bits)};
  const Parts b_parts{b_bits, exponent_of(b_bits)};
  const Parts c_parts{c_bits, exponent_of(c_bits)};
  if (!is_normal(a_parts.exponent) || !is_normal(b_parts.exponent) || !is_normal(c_parts.exponent)) {
    // The first of a sum.
    if (c_bits == 0 && is_normal(a_parts.exponent) && is_normal(b_parts.exponent)) return multiply<unit>(a, b);
    return fuse_special<unit>(a, b, c);
  }
  return fuse<unit>(a_parts, b_parts, c_parts);
}

}  // namespace heed_own_code
}  // namespace heed::port

#include <soft_floats/products.hpp>
