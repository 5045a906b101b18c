// SPDX-License-Identifier: MIT
#include "text/splitters.hpp"

#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace heed::detail {
namespace {

enum class Class : std::uint8_t { end, letter, number, newline, space, other };

/// A place in a text, and what is there. Where numbers are `apart`, a text ends before each.
class Reader {
 public:
  explicit Reader(std::span<const char> text, bool apart = false) noexcept : text_(text), apart_(apart) { look(); }

  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  [[nodiscard]] Class here() const noexcept { return class_; }
  [[nodiscard]] std::uint32_t point() const noexcept { return next_.point; }
  [[nodiscard]] bool is_white() const noexcept { return class_ == Class::space || class_ == Class::newline; }

  void step() noexcept {
    place_ += next_.bytes;
    look();
  }
  void pass(Class what) noexcept {
    while (class_ == what) step();
  }

 private:
  void look() noexcept {
    if (place_ >= text_.size()) {
      class_ = Class::end;
      next_ = {0, 0, false};
      return;
    }
    next_ = first_point(text_.subspan(place_));
    if (next_.point == '\r' || next_.point == '\n') {
      class_ = Class::newline;
    } else if (is_space(next_.point)) {
      class_ = Class::space;
    } else {
      const Letter letter = letter_class(next_.point);
      class_ = letter == Letter::letter ? Class::letter : letter == Letter::number ? Class::number : Class::other;
      if (apart_ && class_ == Class::number) class_ = Class::end;
    }
  }

  std::span<const char> text_;
  bool apart_;
  std::size_t place_ = 0;
  CodePoint next_{};
  Class class_ = Class::end;
};

/// 's 't 're 've 'm 'll 'd, in any case of letters if `folded`; 0 if the text begins with none of them.
[[nodiscard]] std::size_t contraction(Reader reader, bool folded) noexcept {
  if (reader.point() != '\'') return 0;
  reader.step();
  const auto letter = [&]() noexcept -> std::uint32_t {
    const std::uint32_t point = reader.point();
    if (!folded) return point;
    return point >= 'A' && point <= 'Z' ? point | 0x20 : point == 0x17F ? 's' : point;  // U+017F folds to s
  };
  const std::uint32_t first = letter();
  if (reader.here() == Class::end) return 0;
  reader.step();
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return reader.place();
  if (reader.here() == Class::end) return 0;
  const std::uint32_t second = letter();
  reader.step();
  const bool two =
      (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
  return two ? reader.place() : 0;
}

/// White space up to the last line's end in it; or all but its last character; or all, if nothing or one is there.
[[nodiscard]] std::size_t white_space(Reader reader, bool lines) noexcept {
  std::size_t last = 0;      // before the last character
  std::size_t line_end = 0;  // after the last line's end
  while (reader.is_white()) {
    const bool newline = reader.here() == Class::newline;
    last = reader.place();
    reader.step();
    if (newline && lines) line_end = reader.place();
  }
  if (line_end != 0) return line_end;
  return reader.here() == Class::end || last == 0 ? reader.place() : last;
}

/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+, between numbers if they are `apart`.
[[nodiscard]] std::size_t gpt2_word(std::span<const char> text, bool apart) noexcept {
  Reader reader(text, apart);
  if (reader.here() == Class::end) return first_point(text).bytes;
  if (const std::size_t bytes = contraction(reader, false); bytes != 0) return bytes;
  const Reader begin = reader;
  if (reader.point() == ' ') reader.step();
  const Class what = reader.here();
  if (what != Class::letter && what != Class::number && what != Class::other) return white_space(begin, false);
  reader.pass(what);
  return reader.place();
}

/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|
/// \s+(?!\S)|\s+
[[nodiscard]] std::size_t llama3_word(std::span<const char> text, unsigned digits) noexcept {
  Reader reader(text);
  if (const std::size_t bytes = contraction(reader, true); bytes != 0) return bytes;
  const Reader begin = reader;
  if (reader.here() == Class::number) {
    for (unsigned i = 0; i < digits && reader.here() == Class::number; ++i) reader.step();
    return reader.place();
  }
  if (reader.here() == Class::space || reader.here() == Class::other) reader.step();
  if (reader.here() == Class::letter) {
    reader.pass(Class::letter);
    return reader.place();
  }
  reader = begin;
  if (reader.point() == ' ') reader.step();
  if (reader.here() != Class::other) return white_space(begin, true);
  reader.pass(Class::other);
  reader.pass(Class::newline);
  return reader.place();
}

}  // namespace

std::size_t first_word(Splitter splitter, std::span<const char> text) noexcept {
  if (splitter == splitter_gpt2 || splitter == splitter_digits) return gpt2_word(text, splitter == splitter_digits);
  if (splitter == splitter_llama3) return llama3_word(text, 3);
  return splitter == splitter_qwen2 ? llama3_word(text, 1) : text.size();
}

}  // namespace heed::detail
