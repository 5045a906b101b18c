// SPDX-License-Identifier: MIT
//
// Channels of keys and values as the numbers of an integer cache, four at a time in code for speed: x / scale to
// nearest even, within -127..127, and 0 for a scale of 0 or NaN. Numbers of even inputs of a product have 128 added.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// A number as a product's weight holds it.
[[nodiscard]] inline std::byte weight_byte(float x, float scale, std::uint32_t input) noexcept {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: the low bits of what is added to it are rounded to an integer
  const std::int32_t q =
      scale > 0.0F ? std::bit_cast<std::int32_t>(x / scale + shift) - std::bit_cast<std::int32_t>(shift) : 0;
  return static_cast<std::byte>(input % 2 == 0 ? q + 128 : q);
}

// clang-format off
// In r4-r6 and r8, rounded as the FPU does it.
#define HEED_FOUR_NUMBERS         \
  "1:\n"                          \
  "vldmia %[x]!, {s0-s3}\n"       \
  "vdiv.f32 s0, s0, %[scale]\n"   \
  "vdiv.f32 s1, s1, %[scale]\n"   \
  "vdiv.f32 s2, s2, %[scale]\n"   \
  "vdiv.f32 s3, s3, %[scale]\n"   \
  "vcvtr.s32.f32 s0, s0\n"        \
  "vcvtr.s32.f32 s1, s1\n"        \
  "vcvtr.s32.f32 s2, s2\n"        \
  "vcvtr.s32.f32 s3, s3\n"        \
  "vmov r4, r5, s0, s1\n"         \
  "vmov r6, r8, s2, s3\n"
#define HEED_FOUR_CLOBBERED "memory", "cc", "r4", "r5", "r6", "r8", "s0", "s1", "s2", "s3"
// clang-format on

/// Channels [first, first + count) of a key, four of which lie side by side, 64 bytes from the next; `to` is where the
/// key's first lies.
inline void store_integer_key(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                              std::byte* to) noexcept {
  const float* x = channels;
  if constexpr (port::unrolled != 1) {
    if (first % 4 == 0 && count >= 4 && scale > 0.0F) {
      std::byte* four = to + std::size_t{first} * 16;
      std::uint32_t fours = count / 4;
      first += fours * 4;
      count %= 4;
      // Adding 128 to a byte is the same as turning its first bit.
      asm volatile(HEED_FOUR_NUMBERS
                   "pkhbt r4, r4, r6, lsl #16\n"
                   "pkhbt r5, r5, r8, lsl #16\n"
                   "uxtb16 r4, r4\n"
                   "uxtb16 r5, r5\n"
                   "eor r4, r4, #0x00800080\n"
                   "orr r4, r4, r5, lsl #8\n"
                   "str r4, [%[to]], #64\n"
                   "subs %[fours], #1\n"
                   "bne 1b\n"
                   : [x] "+r"(x), [to] "+r"(four), [fours] "+r"(fours)
                   : [scale] "t"(scale)
                   : HEED_FOUR_CLOBBERED);
    }
  }
  for (std::uint32_t d = first; d < first + count; ++d, ++x) {
    to[std::size_t{d / 4} * 64 + d % 4] = weight_byte(*x, scale, d);
  }
}

/// Channels of a value, the number `lane` of four: sixteen of them 4 bytes from each other, `step` from the next.
inline void store_integer_value(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                                std::byte* to, std::size_t step, std::uint32_t lane) noexcept {
  const float* x = channels;
  to += lane;
  if constexpr (port::unrolled != 1) {
    while (first % 4 == 0 && count >= 4 && scale > 0.0F) {
      const std::uint32_t left = panel_width - first % panel_width;
      std::uint32_t fours = (count < left ? count : left) / 4;
      std::byte* four = to + first / panel_width * step + std::size_t{first % panel_width} * 4;
      first += fours * 4;
      count -= fours * 4;
      asm volatile(HEED_FOUR_NUMBERS
                   "add r4, %[bias]\n"
                   "add r5, %[bias]\n"
                   "add r6, %[bias]\n"
                   "add r8, %[bias]\n"
                   "strb r5, [%[to], #4]\n"
                   "strb r6, [%[to], #8]\n"
                   "strb r8, [%[to], #12]\n"
                   "strb r4, [%[to]], #16\n"
                   "subs %[fours], #1\n"
                   "bne 1b\n"
                   : [x] "+r"(x), [to] "+r"(four), [fours] "+r"(fours)
                   : [scale] "t"(scale), [bias] "r"(lane % 2 == 0 ? 128 : 0)
                   : HEED_FOUR_CLOBBERED);
    }
  }
  for (std::uint32_t d = first; d < first + count; ++d, ++x) {
    to[d / panel_width * step + std::size_t{d % panel_width} * 4] = weight_byte(*x, scale, lane);
  }
}
#undef HEED_FOUR_NUMBERS
#undef HEED_FOUR_CLOBBERED

}  // namespace heed::detail
