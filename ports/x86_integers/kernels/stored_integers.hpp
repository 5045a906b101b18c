// SPDX-License-Identifier: MIT
//
// Channels of keys and values as the numbers of an integer cache, sixteen at a time: x / scale to nearest even, within
// -127..127, and 0 for a scale of 0 or NaN. Numbers of even inputs of a product have 128 added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/integer_lanes.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The numbers of `count` channels, 1..16.
[[gnu::always_inline]] inline IntegerLanes stored_numbers(const float* channels, float scale,
                                                          std::uint32_t count) noexcept {
  const bool whole = count == panel_width;
  const port::f32x16 x = whole ? port::load(channels) : port::load_partial(channels, static_cast<int>(count));
  return rounded(scale > 0.0F ? port::div(x, port::set(scale)) : port::set(0.0F));
}

/// Channels [first, first + count) of a key, four of which lie side by side, 64 bytes from the next; `to` is where the
/// key's first lies.
inline void store_integer_key(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                              std::byte* to) noexcept {
  for (const std::uint32_t end = first + count; first < end;) {
    const std::uint32_t taken = end - first < panel_width ? end - first : panel_width;
    std::byte bytes[panel_width];
    store_bytes(bytes, stored_numbers(channels, scale, taken));
    std::uint32_t done = 0;
    if (first % 4 == 0) {
      std::byte* word = to + std::size_t{first / 4} * 64;
      for (; done + 4 <= taken; done += 4, word += 64) {
        std::uint32_t four;
        __builtin_memcpy(&four, bytes + done, 4);
        four ^= 0x00800080U;
        __builtin_memcpy(word, &four, 4);
      }
    }
    for (; done < taken; ++done) {
      const std::uint32_t channel = first + done;
      to[std::size_t{channel / 4} * 64 + channel % 4] =
          bytes[done] ^ (channel % 2 == 0 ? std::byte{0x80} : std::byte{0});
    }
    first += taken;
    channels += taken;
  }
}

/// Channels of a value, the number `lane` of four: sixteen of them 4 bytes from each other, `step` from the next.
inline void store_integer_value(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                                std::byte* to, std::size_t step, std::uint32_t lane) noexcept {
  for (const std::uint32_t end = first + count; first < end;) {
    const std::uint32_t left = panel_width - first % panel_width;
    const std::uint32_t taken = end - first < left ? end - first : left;
    const IntegerLanes numbers = exclusive_or(stored_numbers(channels, scale, taken), lane % 2 == 0 ? 128 : 0);
    store_apart(to + first / panel_width * step + std::size_t{first % panel_width} * 4 + lane, numbers, taken);
    first += taken;
    channels += taken;
  }
}

}  // namespace heed::detail
