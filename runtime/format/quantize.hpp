// SPDX-License-Identifier: MIT
//
// Rounding of floats to the numbers that caches and packed weights hold.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <kernels/channel_magnitude.hpp>
#include <port.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// A row of numbers, `step` apart, and its scales, as far apart: a lane of a panel, or the channels of a value. For
/// int4, numbers count nibbles in the order of their lanes.
struct StoredRow {
  std::byte* numbers;
  std::byte* scales;
  std::size_t first;
  std::size_t step;

  [[nodiscard]] std::size_t place(std::size_t channel) const noexcept { return first + channel * step; }

  /// Numbers that so many channels take: a value's, which lie side by side, fill whole vectors.
  [[nodiscard]] std::uint32_t width(std::uint32_t channels) const noexcept {
    return step == 1 ? (channels + panel_width - 1) / panel_width * panel_width : channels;
  }

  template <class Scale>
  [[nodiscard]] Scale& scale(std::size_t group) const noexcept {
    return reinterpret_cast<Scale*>(scales)[place(group)];
  }
};

/// The least float whose low `free_bits` bits are 0 and that is not below x; x is finite and not negative.
[[nodiscard]] float round_up_to_short(float x, int free_bits) noexcept;

/// Stores the channels [first, first + count) of a row with the scales that it has, and zeros after them up to its
/// width.
using StoreChannels = void(const float* channels, std::uint32_t first, std::uint32_t count,
                           const StoredRow& row) noexcept;
StoreChannels store_float32;
StoreChannels store_float16;
StoreChannels store_bfloat16;
StoreChannels store_int8;
StoreChannels store_int8_channels;
StoreChannels store_int4;

/// The scales of a row, whose channels may come a few at a time: they begin as zeros, and all channels raise them.
void clear_int8_scale(std::uint32_t dim, const StoredRow& row) noexcept;
void raise_int8_scale(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept;
void clear_int4_scales(std::uint32_t dim, const StoredRow& row) noexcept;
void raise_int4_scales(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept;

/// Stores `count` floats as q in -127..127, and for each scale_group_size of them, the last of which may be fewer, a
/// scale. NaN, infinity or a scale beyond float16 makes the scale NaN and every q of the group 0.
void store_int8_groups(const float* from, std::uint32_t count, const StoredRow& row) noexcept;

/// The same with q in -8..7.
void store_int4_groups(const float* from, std::uint32_t count, const StoredRow& row) noexcept;

/// The number of greatest magnitude, the first of several; NaN if one of them is infinite or NaN.
[[nodiscard]] inline float extreme_of(const float* from, std::uint32_t count) noexcept {
  const float greatest = greatest_magnitude(from, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (from[i] == greatest || from[i] == -greatest) return from[i];
  }
  return greatest;
}

/// x / scale rounded to nearest even and clamped to least..greatest, for a scale that is neither 0 nor NaN.
[[nodiscard]] inline std::int32_t rounded_quotient(float x, float scale, float least, float greatest) noexcept {
  float quotient = port::compact_quotient(x, scale);
  quotient = port::less(quotient, greatest) ? quotient : greatest;
  quotient = port::less(least, quotient) ? quotient : least;
  return port::nearest_integer(quotient);
}

/// The same for any scale; 0 for one of 0 or NaN.
[[nodiscard]] inline std::int32_t quantize(float x, float scale, float least, float greatest) noexcept {
  return port::less(0.0F, scale) || port::less(scale, 0.0F) ? rounded_quotient(x, scale, least, greatest) : 0;
}

inline void put_int4(const StoredRow& row, std::size_t channel, std::int32_t q) noexcept {
  const std::size_t number = row.place(channel);
  std::byte& pair = row.numbers[number / 16 * 8 + number % 8];
  const auto nibble = static_cast<std::byte>(q + 8);
  pair = number % 16 < 8 ? (pair & std::byte{0xF0}) | nibble : (pair & std::byte{0x0F}) | (nibble << 4);
}

}  // namespace heed::detail
