// SPDX-License-Identifier: MIT
//
// Code points of text in UTF-8. What is none of it counts as U+FFFD, one for each longest beginning of a character
// (Unicode Standard, 3.9, "maximal subparts").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed::detail {

inline constexpr std::uint32_t replacement_point = 0xFFFD;

/// U+2581, which vocabularies have for a space.
inline constexpr std::uint32_t space_mark = 0x2581;
inline constexpr char space_mark_bytes[] = {'\xE2', '\x96', '\x81'};

/// Whether a byte of UTF-8 is the first of a character.
[[nodiscard]] constexpr bool begins_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

struct CodePoint {
  std::uint32_t point;
  std::uint32_t bytes;  ///< of the text
  bool whole;           ///< false: no character
};

/// Bytes of a character that begins with this one; 0: none does.
[[nodiscard]] inline std::uint32_t character_length(unsigned char first) noexcept {
  return first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

/// Whether `next` may be the second byte after `first`: no long forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] inline bool may_follow(unsigned char first, unsigned char next) noexcept {
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return next >= low && next <= high;
}

/// The code point at the front of a text that is not empty.
[[nodiscard]] inline CodePoint first_point(std::span<const char> text) noexcept {
  const auto byte = [&](std::size_t i) noexcept { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t length = character_length(byte(0));
  if (length == 1) return {byte(0), 1, true};
  if (length == 0) return {replacement_point, 1, false};
  std::uint32_t point = byte(0) & (0x7FU >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    const bool follows = i < text.size() && (i == 1 ? may_follow(byte(0), byte(1)) : (byte(i) & 0xC0U) == 0x80U);
    if (!follows) return {replacement_point, i, false};
    point = point << 6 | (byte(i) & 0x3FU);
  }
  return {point, length, true};
}

/// Writes a code point and returns its bytes, four at most.
inline std::uint32_t write_point(std::uint32_t point, char* bytes) noexcept {
  if (point < 0x80) {
    bytes[0] = static_cast<char>(point);
    return 1;
  }
  const std::uint32_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (std::uint32_t i = length; --i > 0; point >>= 6) bytes[i] = static_cast<char>(0x80 | (point & 0x3F));
  bytes[0] = static_cast<char>(static_cast<unsigned char>(0xF00U >> length | point));
  return length;
}

}  // namespace heed::detail
