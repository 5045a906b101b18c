// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace heed::tools {

/// Whether a byte of UTF-8 is a character's first.
[[nodiscard]] constexpr bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// Characters of a text in UTF-8.
[[nodiscard]] constexpr std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

/// Text between blanks on a field of this width, on its left or on its right end.
[[nodiscard]] inline std::string left_aligned(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, characters_of(text)), ' ');
}
[[nodiscard]] inline std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, characters_of(text)), ' ') + text;
}

}  // namespace heed::tools
