// SPDX-License-Identifier: MIT
//
// Pairs of numbers times a row's factor, rounded to integers. A product's first bits decide all but what is near the
// middle of two integers: that is left to others, with its pair. A factor may be off by 2^-23 of it.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

namespace heed::detail {

/// A row's factor as its mantissa of 16 and 8 bits, and what has been made of the row.
struct RoundedPairs {
  std::uint32_t high;
  std::uint32_t low;
  std::uint32_t places;  ///< 276 less the factor's exponent, at most 255
  std::int32_t even;     ///< the sum of the first numbers of all pairs
  std::int32_t odd;      ///< and of the others
};

// A number of x in r6, with 8 bits below 1. The first 16 bits of both mantissas lack less than 2^17 of their product's
// first 32, which 16 places are taken from at least: with what is lost there less than 3. Rounding to a float changes
// less than 2^-8 where the number is below 2^8.
#define HEED_BYTE(left) \
  "ldmia r0!, {r4}\n"   \
  "lsls r5, r4, #1\n"   \
  "lsrs r5, r5, #24\n"  \
  "subs r5, r7, r5\n"   \
  "cmp r5, #16\n"       \
  "blt " left           \
  "\n"                  \
  "lsls r6, r4, #9\n"   \
  "lsrs r6, r6, #17\n"  \
  "add r6, r8\n"        \
  "muls r6, r2\n"       \
  "lsrs r6, r5\n"       \
  "adds r6, #131\n"     \
  "uxtb r5, r6\n"       \
  "cmp r5, #4\n" HEED_END(left)
// All 32 bits, of which less than 2 are lacking, in 9 places at least: less than 1 of the last place, and rounding to a
// float changes less than a half where the number is below 2^15. Of the weights of keys, many are 0.
#define HEED_SHORT(left) \
  "ldmia r0!, {r4}\n"    \
  "lsls r6, r4, #1\n"    \
  "beq 5f\n"             \
  "lsls r6, r4, #9\n"    \
  "lsrs r6, r6, #17\n"   \
  "add r6, r8\n"         \
  "uxtb r5, r4\n"        \
  "muls r5, r2\n"        \
  "movs r7, r6\n"        \
  "muls r7, r3\n"        \
  "adds r5, r5, r7\n"    \
  "lsrs r5, r5, #8\n"    \
  "muls r6, r2\n"        \
  "adds r6, r6, r5\n"    \
  "lsls r5, r4, #1\n"    \
  "lsrs r5, r5, #24\n"   \
  "mov r7, r9\n"         \
  "subs r7, r7, r5\n"    \
  "cmp r7, #9\n"         \
  "blt " left            \
  "\n"                   \
  "lsrs r6, r7\n"        \
  "adds r6, #129\n"      \
  "uxtb r5, r6\n"        \
  "cmp r5, #2\n" HEED_END(left) "5:\n"
// Half way by the bits at hand, or the integer with its sign.
#define HEED_END(left) \
  "bcc " left          \
  "\n"                 \
  "lsrs r6, r6, #8\n"  \
  "asrs r4, r4, #31\n" \
  "eors r6, r4\n"      \
  "subs r6, r6, r4\n"
#define HEED_PAIRS(number) \
  ".syntax unified\n"          \
  "push {r3-r7, lr}\n"         \
  "mov r4, r8\n"               \
  "mov r5, r9\n"               \
  "mov r6, r10\n"              \
  "push {r4-r6}\n"             \
  "mov lr, r1\n"               \
  "movs r1, r2\n"              \
  "ldmia r3!, {r2, r4, r7}\n"  \
  "ldmia r3!, {r5, r6}\n"      \
  "mov r12, r5\n"              \
  "mov r10, r6\n"              \
  "movs r3, #128\n"            \
  "lsls r3, r3, #8\n"          \
  "mov r8, r3\n"               \
  "movs r3, r4\n"              \
  "mov r9, r7\n"               \
  "b 3f\n"                     \
  "1:\n" number("8f")          \
  "strh r6, [r1]\n"            \
  "add r12, r6\n" number("7f") \
  "strh r6, [r1, #2]\n"        \
  "add r10, r6\n"              \
  "adds r1, #4\n"              \
  "3: cmp r0, lr\n"            \
  "bne 1b\n"                   \
  "b 9f\n"                     \
  "7: subs r0, #4\n"           \
  "movs r5, #0\n"              \
  "ldrsh r4, [r1, r5]\n"       \
  "mov r5, r12\n"              \
  "subs r5, r5, r4\n"          \
  "mov r12, r5\n"              \
  "8: subs r0, #4\n"           \
  "9: ldr r1, [sp, #12]\n"     \
  "mov r2, r12\n"              \
  "mov r3, r10\n"              \
  "str r2, [r1, #12]\n"        \
  "str r3, [r1, #16]\n"        \
  "pop {r4-r6}\n"              \
  "mov r8, r4\n"               \
  "mov r9, r5\n"               \
  "mov r10, r6\n"              \
  "pop {r3-r7, pc}\n"

/// to = x * factor to nearest even, pair by pair up to `end`; returns the first pair of x that is left, or `end`.
[[gnu::naked, gnu::noinline]] inline const float* round_byte_pairs(const float*, const float*, std::int16_t*,
                                                                   RoundedPairs*) noexcept {
  asm(HEED_PAIRS(HEED_BYTE));
}
[[gnu::naked, gnu::noinline]] inline const float* round_short_pairs(const float*, const float*, std::int16_t*,
                                                                    RoundedPairs*) noexcept {
  asm(HEED_PAIRS(HEED_SHORT));
}
#undef HEED_PAIRS
#undef HEED_END
#undef HEED_SHORT
#undef HEED_BYTE

/// A row that is rounded with this factor; no pair is where its places are too many.
[[nodiscard]] inline RoundedPairs pairs_with(float factor) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(factor);
  return {port::mantissa_of(bits) >> 16, bits & 255U, static_cast<std::uint32_t>(276 - port::exponent_of(bits)), 0, 0};
}

using RoundPairs = const float*(const float* x, const float* end, std::int16_t* to, RoundedPairs* row) noexcept;

/// to = x * factor to nearest even, of all numbers up to `end`; exact(x) is what a number is rounded to that is left
/// out, or has no other one beside it.
template <RoundPairs* round_pairs, class Exact>
[[gnu::always_inline]] inline void round_numbers(const float* x, const float* end, std::int16_t* to,
                                                 RoundedPairs& pairs, const Exact& exact) noexcept {
  while (x != end) {
    const float* const first = x;
    const auto left = static_cast<std::uint32_t>(end - x);
    if (pairs.places < 256 && left > 1) x = round_pairs(x, end - left % 2, to, &pairs);
    to += x - first;
    for (int i = 0; i < 2 && x != end; ++i, ++x, ++to) {
      const std::int32_t number = exact(*x);
      *to = static_cast<std::int16_t>(number);
      (i == 0 ? pairs.even : pairs.odd) += number;
    }
  }
}

}  // namespace heed::detail
