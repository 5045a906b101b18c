// SPDX-License-Identifier: MIT
//
// Texts by their beginnings, in a double array (Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array
// Structure", 1989): a node is a number that no other node has; the word at node ^ byte has the byte in its low 8 bits
// if a text goes on with it, and the next node above them. Byte 0 leads to the value of the text that ends there. Words
// that are not used have 0xFF in their low bits.
#pragma once

#include "text/token_file.hpp"

namespace heed::detail {

struct Trie {
  const std::uint32_t* units;
  std::uint32_t node;

  /// Goes on with a byte, or is false: no text does. Neither 0 nor 0xFF is in one.
  [[nodiscard]] bool step(char next) noexcept {
    const auto byte = static_cast<unsigned char>(next);
    const std::uint32_t unit = units[node ^ byte];
    if ((unit & 0xFFU) != byte || byte == 0 || byte == 0xFF) return false;
    node = unit >> 8;
    return true;
  }
  [[nodiscard]] bool step(std::span<const char> bytes) noexcept {
    for (const char byte : bytes) {
      if (!step(byte)) return false;
    }
    return true;
  }

  /// Of the text that ends here, below `end`; no_token if there is none.
  [[nodiscard]] std::uint32_t value(std::uint32_t end) const noexcept {
    const std::uint32_t unit = units[node];
    return (unit & 0xFFU) == 0 && unit >> 8 < end ? unit >> 8 : no_token;
  }
};

/// One of a file that has it.
[[nodiscard]] inline Trie trie_of(TokenFile file, TokenWord root) noexcept {
  return {file.section(word_units), file.word(root)};
}

}  // namespace heed::detail
