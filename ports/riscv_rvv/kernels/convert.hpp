// SPDX-License-Identifier: MIT
//
// Stored numbers into lanes with the widening conversions of the vector extension.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

using EightBytes = std::uint8_t __attribute__((vector_size(8)));
using SixteenBytes = std::int8_t __attribute__((vector_size(16)));
using SixteenShorts = std::uint16_t __attribute__((vector_size(32)));
/// The same in memory, where bytes and halves are aligned as they are.
using StoredEightBytes = std::uint8_t __attribute__((vector_size(8), aligned(1), may_alias));
using StoredBytes = std::int8_t __attribute__((vector_size(16), aligned(1), may_alias));
using StoredShorts = std::uint16_t __attribute__((vector_size(32), aligned(2), may_alias));

/// Sixteen signed bytes.
[[gnu::always_inline]] inline port::f32x16 load_int8(const std::int8_t* from) noexcept {
  return {__builtin_convertvector(*reinterpret_cast<const StoredBytes*>(from), port::detail::Floats)};
}

/// Sixteen numbers of four bits, -8..7, each stored as its value + 8: lane i is the low half of byte i, lane i + 8 its
/// high half.
[[gnu::always_inline]] inline port::f32x16 load_int4(const std::uint8_t* from) noexcept {
  const EightBytes pairs = *reinterpret_cast<const StoredEightBytes*>(from);
  const auto halves =
      __builtin_shufflevector(pairs & 0x0F, pairs >> 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return {__builtin_convertvector(std::bit_cast<SixteenBytes>(halves) - 8, port::detail::Floats)};
}

/// Sixteen numbers of two bytes each, as integers.
[[gnu::always_inline]] inline port::detail::Words load_words(const std::uint16_t* from) noexcept {
  return __builtin_convertvector(*reinterpret_cast<const StoredShorts*>(from), port::detail::Words);
}

/// Sixteen numbers of IEEE-754 binary16; NaN becomes some quiet NaN. The exponent of a half is 112 too small for a
/// float, and the factor 2^112 puts that right for subnormal numbers as well; infinity and NaN, which it leaves numbers
/// from 2^16 on, get the exponent that they have in a float.
[[gnu::always_inline]] inline port::f32x16 load_half(const std::uint16_t* from) noexcept {
  using Floats = port::detail::Floats;
  using Words = port::detail::Words;
  const Words half = load_words(from);
  const Floats small = std::bit_cast<Floats>((half & 0x7FFFU) << 13);
  const Words size = std::bit_cast<Words>(small * 0x1p112F);
  const Words special = (half & 0x7FFFU) > 0x7C00U ? size | 0x7FC00000U : size | 0x7F800000U;
  const Words magnitude = (half & 0x7FFFU) >= 0x7C00U ? special : size;
  return {std::bit_cast<Floats>(magnitude | (half & 0x8000U) << 16)};
}

/// Sixteen numbers of bfloat16, which are the upper halves of floats.
[[gnu::always_inline]] inline port::f32x16 load_bfloat16(const std::uint16_t* from) noexcept {
  return {std::bit_cast<port::detail::Floats>(load_words(from) << 16)};
}

}  // namespace heed::detail
