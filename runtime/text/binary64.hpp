// SPDX-License-Identifier: MIT
//
// Sums and comparisons of IEEE-754 binary64 numbers in integers, to the bit: scores of pieces are such numbers, and two
// ways to read a text may differ in the last bit of their sums alone. Of zeros there is +0, and every other number lies
// between 2^-400 and 2^400, so that no sum of 2^26 of them is infinite or subnormal. No shift by a variable number of
// places, for which small cores have no instruction.
#pragma once

#include <cstdint>

namespace heed::detail {

inline constexpr std::uint64_t binary64_sign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t binary64_one = std::uint64_t{1} << 52;  ///< of the exponent

/// Of a number that is not 0, with its hidden bit, and three bits of room below it.
[[nodiscard]] constexpr std::uint64_t binary64_digits(std::uint64_t number) noexcept {
  return ((number & (binary64_one - 1)) | binary64_one) << 3;
}

/// a + b, rounded to nearest, ties to even.
[[nodiscard]] constexpr std::uint64_t add_binary64(std::uint64_t a, std::uint64_t b) noexcept {
  if ((a & ~binary64_sign) < (b & ~binary64_sign)) {
    const std::uint64_t smaller = a;
    a = b;
    b = smaller;
  }
  if ((b & ~binary64_sign) == 0) return a;
  std::uint64_t exponent = a & ~binary64_sign & ~(binary64_one - 1);
  const std::uint64_t places = (exponent - (b & ~binary64_sign & ~(binary64_one - 1))) >> 52;
  std::uint64_t digits = binary64_digits(a);
  std::uint64_t smaller = binary64_digits(b);
  // Bits that leave on the right stay as one: more than it, and less than the next.
  if (places > 56) smaller = 1;
  for (std::uint64_t i = 0; i < places && places <= 56; ++i) smaller = smaller >> 1 | (smaller & 1);
  if (((a ^ b) & binary64_sign) == 0) {
    digits += smaller;
    if (digits >= binary64_one << 4) {
      digits = digits >> 1 | (digits & 1);
      exponent += binary64_one;
    }
  } else {
    digits -= smaller;
    if (digits == 0) return 0;
    for (; digits < binary64_one << 3; digits <<= 1) exponent -= binary64_one;
  }
  const std::uint64_t rest = digits & 7;
  digits >>= 3;
  if (rest > 4 || (rest == 4 && (digits & 1) != 0)) ++digits;
  // The hidden bit adds one to the exponent, and so does a carry out of the digits.
  return (a & binary64_sign) | (exponent - binary64_one + digits);
}

[[nodiscard]] constexpr bool greater_binary64(std::uint64_t a, std::uint64_t b) noexcept {
  const bool a_negative = (a & binary64_sign) != 0;
  if (a_negative != ((b & binary64_sign) != 0)) return !a_negative;
  return a_negative ? a < b : a > b;
}

}  // namespace heed::detail
