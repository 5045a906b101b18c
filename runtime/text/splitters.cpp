// SPDX-License-Identifier: MIT
#include "text/splitters.hpp"

#include "text/word_reader.hpp"

namespace heed::detail {
namespace character_sets {
namespace {

/// 's 't 're 've 'm 'll 'd, in any case of letters if `folded`: where it ends; 0 if the text begins with none of them.
[[nodiscard]] std::size_t contraction(WordReader reader, bool folded) noexcept {
  if (reader.point() != '\'') return 0;
  reader.step();
  const auto letter = [&]() noexcept -> std::uint32_t {
    const std::uint32_t point = reader.point();
    if (!folded) return point;
    return point >= 'A' && point <= 'Z' ? point | 0x20 : point == 0x17F ? 's' : point;  // U+017F folds to s
  };
  const std::uint32_t first = letter();
  if (reader.at_end()) return 0;
  reader.step();
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return reader.place();
  if (reader.at_end()) return 0;
  const std::uint32_t second = letter();
  reader.step();
  const bool two =
      (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
  return two ? reader.place() : 0;
}

/// White space up to the last line's end in it; or all but its last character; or all, if nothing or one is there.
[[nodiscard]] std::size_t white_space(WordReader reader, bool lines) noexcept {
  std::size_t last = 0;      // before the last character
  std::size_t line_end = 0;  // after the last line's end
  const std::size_t begin = reader.place();
  while (reader.at(white)) {
    const bool ends_line = reader.at(newline);
    last = reader.place();
    reader.step();
    if (ends_line && lines) line_end = reader.place();
  }
  if (line_end != 0) return line_end;
  return reader.at_end() || last <= begin ? reader.place() : last;
}

/// \p{N}{1,most}
[[nodiscard]] std::size_t digits(WordReader reader, unsigned most) noexcept {
  for (unsigned i = 0; i < most && reader.at(number); ++i) reader.step();
  return reader.place();
}

/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+, between numbers if they are ends.
[[nodiscard]] std::size_t gpt2_word(WordReader reader) noexcept {
  if (const std::size_t bytes = contraction(reader, false); bytes != 0) return bytes;
  const WordReader begin = reader;
  if (reader.point() == ' ') reader.step();
  for (const Set what : {letters, number, others}) {
    if (!reader.at(what)) continue;
    reader.pass(what);
    return reader.place();
  }
  return white_space(begin, false);
}

/// [^\r\n\p{L}\p{N}]?U*L+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?U+L*(?i:'s|'t|'re|'ve|'m|'ll|'d)?, where U is
/// [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and L is [\p{Ll}\p{Lm}\p{Lo}\p{M}]: where it ends, or 0. U* gives back what L+
/// needs, which is what lies after the last character of both, or else the character in front. Without what is optional
/// at the ends if it `contracts` nothing.
[[nodiscard]] std::size_t cased_word(WordReader begin, bool contracts) noexcept {
  constexpr Set both = caseless | mark;
  constexpr Set before = others | space;
  const auto end_after = [contracts](WordReader reader) noexcept {
    const std::size_t end = contracts ? contraction(reader, true) : 0;
    return end != 0 ? end : reader.place();
  };
  WordReader reader = begin;
  for (const bool front : {true, false}) {
    reader = begin;
    if (front && !reader.at(before)) continue;
    if (front) reader.step();
    WordReader last = reader;
    bool found = false;
    while (reader.at(upper | both)) {
      const bool ends = reader.at(both);
      reader.step();
      if (!ends) continue;
      last = reader;
      found = true;
    }
    if (reader.at(lower)) {
      reader.pass(lower | both);
      return end_after(reader);
    }
    if (found) return end_after(last);
  }
  reader = begin;
  if (reader.at(before)) reader.step();
  if (!reader.at(upper)) return 0;
  reader.pass(upper);
  return end_after(reader);
}

/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+: where it ends, or 0.
[[nodiscard]] std::size_t uncased_word(WordReader reader) noexcept {
  if (const std::size_t bytes = contraction(reader, true); bytes != 0) return bytes;
  if (reader.at(others | space)) reader.step();
  if (!reader.at(letters)) return 0;
  reader.pass(letters);
  return reader.place();
}

/// A word of letters as above, or else \p{N}{1,most}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+, and with case
/// [\r\n/] for [\r\n].
[[nodiscard]] std::size_t llama3_word(WordReader reader, std::uint32_t splitter) noexcept {
  const bool cased = splitter == splitter_gpt4o || splitter == splitter_tekken;
  const unsigned most = splitter == splitter_qwen2 || splitter == splitter_tekken ? 1 : 3;
  const std::size_t bytes = cased ? cased_word(reader, splitter == splitter_gpt4o) : uncased_word(reader);
  if (bytes != 0) return bytes;
  if (reader.at(number)) return digits(reader, most);
  const WordReader begin = reader;
  if (reader.point() == ' ') reader.step();
  if (!reader.at(others)) return white_space(begin, true);
  reader.pass(others);
  while (reader.at(newline) || (cased && reader.point() == '/')) reader.step();
  return reader.place();
}

/// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+: where
/// it ends, which is where it begins if nothing is found.
[[nodiscard]] std::size_t deepseek_match(WordReader reader) noexcept {
  const WordReader begin = reader;
  const auto at_ascii = [&]() noexcept { return reader.at(upper | lower) && reader.point() < 0x80; };
  if (reader.at(punctuation | symbol) && reader.point() < 0x80) {
    reader.step();
    if (at_ascii()) {
      while (at_ascii()) reader.step();
      return reader.place();
    }
    reader = begin;
  }
  if (reader.at(other | space)) reader.step();
  if (reader.at(letters | mark)) {
    reader.pass(letters | mark);
    return reader.place();
  }
  reader = begin;
  if (reader.point() == ' ') reader.step();
  if (!reader.at(punctuation | symbol)) return white_space(begin, true);
  reader.pass(punctuation | symbol);
  reader.pass(newline);
  return reader.place();
}

/// \p{N}{1,3} apart, then runs of kana and ideographs apart, then in each part what is above; what it does not find is
/// a word, too.
[[nodiscard]] std::size_t deepseek_word(WordReader reader) noexcept {
  if (const std::size_t end = deepseek_match(reader); end != 0) return end;
  while (!reader.at_end() && deepseek_match(reader) == reader.place()) reader.step();
  return reader.place();
}

}  // namespace
}  // namespace character_sets

std::size_t first_word(TokenFile file, std::span<const char> text) noexcept {
  using namespace character_sets;
  const std::uint32_t splitter = file.word(word_splitter);
  if (splitter == splitter_none) return text.size();
  SplitText split{file, text};
  const WordReader reader(split);
  if (splitter == splitter_deepseek3 && reader.at(number)) return digits(reader, 3);
  if (splitter == splitter_digits && reader.at(number)) return digits(reader, 1);
  if (splitter == splitter_digits || splitter == splitter_deepseek3) split.before_numbers = true;
  if (splitter == splitter_gpt2 || splitter == splitter_digits) return gpt2_word(reader);
  if (splitter != splitter_deepseek3) return llama3_word(reader, splitter);
  split.at_runs = true;
  split.in_run = is_kana_or_ideograph(reader.point());
  return deepseek_word(reader);
}

}  // namespace heed::detail
