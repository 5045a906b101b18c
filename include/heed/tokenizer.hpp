// SPDX-License-Identifier: MIT
//
// Text to tokens and back, with the vocabularies that llama2.c writes: those of sentencepiece's byte-pair encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/heed_tokenizer.h"
#include "heed/status.hpp"

namespace heed {

/// Checks every field of a tokenizer file, which may lie at any address. null_pointer; too_large: 2^31 bytes or more;
/// bad_file: what `field` says.
[[nodiscard]] TokenizerFile read_tokenizer(std::span<const std::byte> file) noexcept;

/// A vocabulary in its file, which stays where it is, in flash for example. It holds no memory of its own: finding a
/// piece reads the file, once for decode(), and for encode() about twice per character of the text.
class Tokenizer {
 public:
  static constexpr std::uint32_t begin_token = 1;
  static constexpr std::uint32_t end_token = 2;

  /// Checks the file as read_tokenizer() does, and returns its status.
  [[nodiscard]] Status bind(std::span<const std::byte> file) noexcept;

  /// Tokens in the vocabulary; 0 before bind().
  [[nodiscard]] std::uint32_t tokens() const noexcept { return tokens_; }

  /// What decode() writes for a token after another: its bytes, in the file or in static storage. A piece at the
  /// beginning of a text, after begin_token, loses its leading space. Empty: there is no such token.
  [[nodiscard]] std::span<const char> decode(std::uint32_t previous, std::uint32_t token) const noexcept;

  /// Words that encode() works in for a text of so many bytes.
  [[nodiscard]] static constexpr std::size_t encode_words(std::size_t text_bytes) noexcept {
    return 2 * text_bytes + 3;
  }

  /// Writes the tokens of a text in UTF-8 to the front of `words`, begin_token first, and how many there are to
  /// `count`. As sentencepiece does it: a space, then the text's characters, those that are no piece as their bytes;
  /// then, again and again, the leftmost of the neighbours whose joined piece has the highest score become one. Names
  /// of tokens such as "<0x0A>" are plain text. Bytes that are no UTF-8 are encoded, too. not_initialised;
  /// null_pointer; bad_length: fewer words than encode_words() of the text's bytes, or 2^30 bytes or more.
  [[nodiscard]] Status encode(std::span<const char> text, std::span<std::uint32_t> words,
                              std::uint32_t& count) const noexcept;

 private:
  std::span<const std::byte> file_{};
  std::uint32_t tokens_ = 0;
  std::uint32_t pieces_ = 0;  ///< offset of the first record that is no byte
};

}  // namespace heed
