// SPDX-License-Identifier: MIT
//
// The vector's operations on one float, for functions that would write every intermediate result of sixteen lanes to
// memory.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <single_operations.hpp>

namespace heed::port {
inline namespace heed_own_code {

struct Single {
  float value;
};

[[gnu::always_inline]] inline Single add(Single a, Single b) noexcept {
  return {sum(a.value, b.value)};
}
[[gnu::always_inline]] inline Single sub(Single a, Single b) noexcept {
  return {difference(a.value, b.value)};
}
[[gnu::always_inline]] inline Single mul(Single a, Single b) noexcept {
  return {product(a.value, b.value)};
}
[[gnu::always_inline]] inline Single div(Single a, Single b) noexcept {
  return {quotient(a.value, b.value)};
}
[[gnu::always_inline]] inline Single fma(Single a, Single b, Single c) noexcept {
  if constexpr (!has_float_unit) {
    // To add 0 is to lose the sign of a product of 0.
    if (__builtin_constant_p(c.value) && std::bit_cast<std::uint32_t>(c.value) == 0) {
      const float value = product(a.value, b.value);
      return {std::bit_cast<std::uint32_t>(value) << 1 == 0 ? 0.0F : value};
    }
  }
  return {fused(a.value, b.value, c.value)};
}
[[gnu::always_inline]] inline Single max(Single a, Single b) noexcept {
  if constexpr (!compares_bits) return {less(b.value, a.value) ? a.value : b.value};
  // Of a bound and what seldom passes it: a jump costs less than a choice then.
  if (__builtin_expect_with_probability(less(b.value, a.value), 0, 0.99)) {
    asm volatile("");  // else compilers choose
    return a;
  }
  return b;
}
[[gnu::always_inline]] inline Single where_less(Single a, Single b, Single x, Single y) noexcept {
  return {less(a.value, b.value) ? x.value : y.value};
}
[[gnu::always_inline]] inline Single power_from_low_bits(Single t) noexcept {
  return {std::bit_cast<float>(std::bit_cast<std::uint32_t>(t.value) << 23)};
}

}  // namespace heed_own_code
}  // namespace heed::port
