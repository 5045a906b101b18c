// SPDX-License-Identifier: MIT
//
// A text as regular expressions see it: one character after another, each in a set.
#pragma once

#include <span>

#include "text/token_file.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace heed::detail {
namespace character_sets {

/// Kinds of characters, a bit each, so that a regular expression's set is a sum of them. The first eight are the
/// classes of a file; without these a letter is caseless, a number a number, and the rest other.
using Set = std::uint32_t;
inline constexpr Set other = 1U << character_other;
inline constexpr Set upper = 1U << character_upper;
inline constexpr Set lower = 1U << character_lower;
inline constexpr Set caseless = 1U << character_letter;
inline constexpr Set mark = 1U << character_mark;
inline constexpr Set number = 1U << character_number;
inline constexpr Set punctuation = 1U << character_punctuation;
inline constexpr Set symbol = 1U << character_symbol;
inline constexpr Set newline = symbol << 1;
inline constexpr Set space = newline << 1;
inline constexpr Set letters = upper | lower | caseless;            // \p{L}
inline constexpr Set others = other | mark | punctuation | symbol;  // [^\s\p{L}\p{N}]
inline constexpr Set white = space | newline;                       // \s

}  // namespace character_sets

/// [\u3040-\u309F\u30A0-\u30FF\u4E00-\u9FA5], as DeepSeek has it.
[[nodiscard]] inline bool is_kana_or_ideograph(std::uint32_t point) noexcept {
  return (point >= 0x3040 && point <= 0x30FF) || (point >= 0x4E00 && point <= 0x9FA5);
}

/// What words are looked for in, and where it ends before its end.
struct SplitText {
  TokenFile file;
  std::span<const char> text;
  bool before_numbers = false;
  bool at_runs = false;  ///< where kana and ideographs begin or end
  bool in_run = false;   ///< the text begins with one
};

/// A place in a text, and what is there: a set of one kind, or none at the end.
class WordReader {
 public:
  using Set = character_sets::Set;

  explicit WordReader(const SplitText& text) noexcept : text_(&text) { look(); }

  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  [[nodiscard]] bool at(Set set) const noexcept { return (here_ & set) != 0; }
  [[nodiscard]] bool at_end() const noexcept { return here_ == 0; }
  [[nodiscard]] std::uint32_t point() const noexcept { return point_; }

  void step() noexcept {
    place_ += bytes_;
    look();
  }
  void pass(Set set) noexcept {
    while (at(set)) step();
  }

 private:
  [[nodiscard]] Set kind() const noexcept {
    using namespace character_sets;
    if (point_ == '\r' || point_ == '\n') return newline;
    if (is_space(point_)) return space;
    const TokenFile file = text_->file;
    if (file.word(word_splitter) >= first_splitter_by_class) {
      return 1U << class_in(file.section(word_classes), file.word(word_class_count), class_bits, point_);
    }
    const Letter letter = letter_class(point_);
    return letter == Letter::letter ? caseless : letter == Letter::number ? number : other;
  }

  void look() noexcept {
    here_ = 0;
    point_ = 0;
    if (place_ >= text_->text.size()) return;
    const CodePoint next = first_point(text_->text.subspan(place_));
    point_ = next.point;
    bytes_ = next.bytes;
    here_ = kind();
    if (text_->before_numbers && at(character_sets::number)) here_ = 0;
    if (text_->at_runs && is_kana_or_ideograph(point_) != text_->in_run) here_ = 0;
  }

  const SplitText* text_;
  std::size_t place_ = 0;
  std::uint32_t point_ = 0;
  std::uint32_t bytes_ = 0;
  Set here_ = 0;
};

}  // namespace heed::detail
