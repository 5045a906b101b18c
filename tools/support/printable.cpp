// SPDX-License-Identifier: MIT
#include "support/printable.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace heed::tools {

namespace {

/// Bytes of the character at the front of the text; 0 if it is a control character or no UTF-8.
std::size_t shown_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3FU);
  }
  // Below these lie the control characters U+0080 to U+009F, and longer spellings of shorter characters.
  constexpr std::uint32_t lowest[] = {0, 0, 0xA0, 0x800, 0x10000};
  return code >= lowest[length] ? length : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    if (bytes != 0) {
      shown += text.substr(0, bytes);
    } else {
      const auto byte = static_cast<unsigned char>(text.front());
      shown += {'\\', 'x', digits[byte >> 4], digits[byte & 0xF]};
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

std::string number_text(float number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", static_cast<double>(number));
  return text;
}

}  // namespace heed::tools
