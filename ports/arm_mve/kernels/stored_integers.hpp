// SPDX-License-Identifier: MIT
//
// Channels of keys and values as the numbers of an integer cache, four at a time: x / scale to nearest even, within
// -127..127, and 0 for a scale of 0 or NaN. Numbers of even inputs of a product have 128 added.
#pragma once

#include <arm_mve.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// 1.5 * 2^23: the low bits of what is added to it are rounded to an integer.
inline constexpr float to_integer = 12582912.0F;

/// A number as a product's weight holds it.
[[nodiscard]] inline std::byte weight_byte(float x, float scale, std::uint32_t input) noexcept {
  const std::int32_t q =
      scale > 0.0F ? std::bit_cast<std::int32_t>(x / scale + to_integer) - std::bit_cast<std::int32_t>(to_integer) : 0;
  return static_cast<std::byte>(input % 2 == 0 ? q + 128 : q);
}

// Quotients of each lane: Helium has no division.
#define HEED_FOUR_NUMBERS       \
  "vldrw.u32 q0, [%[x]], #16\n" \
  "vdiv.f32 s0, s0, s4\n"       \
  "vdiv.f32 s1, s1, s4\n"       \
  "vdiv.f32 s2, s2, s4\n"       \
  "vdiv.f32 s3, s3, s4\n"       \
  "vadd.f32 q0, q0, %q[shift]\n"
#define HEED_FOUR_OF_SIXTEEN(places) HEED_FOUR_NUMBERS "vstrb.32 q0, [%[to], " places "]\n"

/// Sixteen channels of a value, `times` times, as below.
[[gnu::noinline]] inline void store_sixteen_channels(const float* x, float scale, float32x4_t shift, uint32x4_t places,
                                                     std::uint32_t times, std::byte* to, std::size_t step) noexcept {
  asm volatile(
      "vmov s4, %[scale]\n"
      "mov lr, #16\n"
      "vadd.i32 q3, %q[places], lr\n"
      "vadd.i32 q4, q3, lr\n"
      "vadd.i32 q5, q4, lr\n"
      "dls lr, %[times]\n"
      "1:\n" HEED_FOUR_OF_SIXTEEN("%q[places]") HEED_FOUR_OF_SIXTEEN("q3") HEED_FOUR_OF_SIXTEEN("q4")
      HEED_FOUR_OF_SIXTEEN("q5")
      "add %[to], %[to], %[step]\n"
      "le lr, 1b\n"
      : [x] "+r"(x), [to] "+r"(to)
      : [times] "r"(times), [scale] "r"(scale), [shift] "w"(shift), [places] "w"(places), [step] "r"(step)
      : "memory", "lr", "q0", "q1", "q3", "q4", "q5");
}

/// Channels [first, first + count) of a key, four of which lie side by side, 64 bytes from the next; `to` is where the
/// key's first lies.
inline void store_integer_key(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                              std::byte* to) noexcept {
  const float* x = channels;
  if (first % 4 == 0 && count >= 4 && scale > 0.0F) {
    constexpr float shift[4] = {to_integer + 128.0F, to_integer, to_integer + 128.0F, to_integer};
    std::byte* quads = to + std::size_t{first} * 16;
    asm volatile(
        "vmov s4, %[scale]\n"
        "dls lr, %[quads_left]\n"
        "1:\n" HEED_FOUR_NUMBERS
        "vstrb.32 q0, [%[to]], #64\n"
        "le lr, 1b\n"
        : [x] "+r"(x), [to] "+l"(quads)
        : [quads_left] "r"(count / 4), [scale] "r"(scale), [shift] "w"(vldrwq_f32(shift))
        : "memory", "lr", "q0", "q1");
    first += count / 4 * 4;
    count %= 4;
  }
  for (std::uint32_t d = first; d < first + count; ++d, ++x) {
    to[std::size_t{d / 4} * 64 + d % 4] = weight_byte(*x, scale, d);
  }
}

/// Channels of a value, the number `lane` of four: sixteen of them 4 bytes from each other, `step` from the next.
inline void store_integer_value(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                                std::byte* to, std::size_t step, std::uint32_t lane) noexcept {
  const float* x = channels;
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), 4);
  const float32x4_t shift = vdupq_n_f32(lane % 2 == 0 ? to_integer + 128.0F : to_integer);
  to += lane;
  if (has_loops_of_many_rows && first % panel_width == 0 && count >= panel_width && scale > 0.0F) {
    const std::uint32_t panels = count / panel_width;
    store_sixteen_channels(x, scale, shift, places, panels, to + first / panel_width * step, step);
    first += panels * panel_width;
    count %= panel_width;
    x += panels * panel_width;
  }
  while (first % 4 == 0 && count >= 4 && scale > 0.0F) {
    const std::uint32_t left = panel_width - first % panel_width;
    const std::uint32_t quads = (count < left ? count : left) / 4;
    std::byte* quad = to + first / panel_width * step + std::size_t{first % panel_width} * 4;
    asm volatile(
        "vmov s4, %[scale]\n"
        "dls lr, %[quads]\n"
        "1:\n" HEED_FOUR_NUMBERS
        "vstrb.32 q0, [%[to], %q[places]]\n"
        "add %[to], %[to], #16\n"
        "le lr, 1b\n"
        : [x] "+r"(x), [to] "+r"(quad)
        : [quads] "r"(quads), [scale] "r"(scale), [shift] "w"(shift), [places] "w"(places)
        : "memory", "lr", "q0", "q1");
    first += quads * 4;
    count -= quads * 4;
  }
  for (std::uint32_t d = first; d < first + count; ++d, ++x) {
    to[d / panel_width * step + std::size_t{d % panel_width} * 4] = weight_byte(*x, scale, lane);
  }
}

#undef HEED_FOUR_NUMBERS
#undef HEED_FOUR_OF_SIXTEEN

}  // namespace heed::detail
