// SPDX-License-Identifier: MIT
//
// The best way to read a word as pieces.
#pragma once

#include "text/encoding.hpp"

namespace heed::detail {

/// The characters of a word.
struct WordText {
  std::span<const char> text;
  bool front;  ///< U+2581 is in front of the text
  bool marks;  ///< and for its spaces

  [[nodiscard]] bool empty() const noexcept { return !front && text.empty(); }

  /// Takes the first character off, and returns its bytes.
  [[nodiscard]] std::span<const char> take() noexcept;
};

/// Writes the pieces of which the scores have the greatest sum (Kudo, "Subword Regularization", 2018), each sum made
/// from the left, in binary64; of equal sums that whose last piece is the longest. A character that is no piece is
/// unknown, and a run of unknown ones is one token, or those of its bytes. Works in a word for each character, and two
/// for each of the longest piece or of the word, whichever has fewer. False if the room does not suffice.
[[nodiscard]] bool encode_best(TokenFile file, const WordText& word, EncodeWords& words) noexcept;

}  // namespace heed::detail
