// SPDX-License-Identifier: MIT
//
// Stored numbers into lanes, exactly: every value of these formats is a float.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>

#include "common/half.hpp"

namespace heed::detail {

/// Sixteen signed bytes.
[[gnu::always_inline]] inline port::f32x16 load_int8(const std::int8_t* from) noexcept {
  float values[port::lanes];
#pragma GCC unroll 16
  for (int i = 0; i < port::lanes; ++i) values[i] = static_cast<float>(from[i]);
  return port::load(values);
}

/// Sixteen numbers of four bits, -8..7, each stored as its value + 8: lane i is the low half of byte i, lane i + 8 its
/// high half.
[[gnu::always_inline]] inline port::f32x16 load_int4(const std::uint8_t* from) noexcept {
  float values[port::lanes];
#pragma GCC unroll 8
  for (int i = 0; i < port::lanes / 2; ++i) {
    values[i] = static_cast<float>((from[i] & 0x0F) - 8);
    values[i + port::lanes / 2] = static_cast<float>((from[i] >> 4) - 8);
  }
  return port::load(values);
}

/// Sixteen numbers of IEEE-754 binary16; NaN becomes some quiet NaN.
inline port::f32x16 load_half(const std::uint16_t* from) noexcept {
  float values[port::lanes];
  for (int i = 0; i < port::lanes; ++i) values[i] = from_half(from[i]);
  return port::load(values);
}

/// Sixteen numbers of bfloat16, which are the upper halves of floats.
[[gnu::always_inline]] inline port::f32x16 load_bfloat16(const std::uint16_t* from) noexcept {
  float values[port::lanes];
#pragma GCC unroll 16
  for (int i = 0; i < port::lanes; ++i) values[i] = std::bit_cast<float>(std::uint32_t{from[i]} << 16);
  return port::load(values);
}

}  // namespace heed::detail
