// SPDX-License-Identifier: MIT
#include "text/encoding.hpp"
#include "text/trie.hpp"
#include "text/unicode.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] bool begins_with(std::span<const char> text, std::span<const char> name) noexcept {
  if (text.size() < name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (text[i] != name[i]) return false;
  }
  return true;
}

/// The character that ends before `end`, of which none begins before `least`; one byte if it is none.
[[nodiscard]] CodePoint last_point(std::span<const char> text, std::size_t end, std::size_t least) noexcept {
  std::size_t begin = end - 1;
  while (begin > least && end - begin < 4 && !begins_character(text[begin])) --begin;
  const CodePoint last = first_point(text.subspan(begin, end - begin));
  if (last.whole && last.bytes == end - begin) return last;
  return {replacement_point, 1, false};
}

/// Where the spaces that end before `end` begin.
[[nodiscard]] std::size_t spaces_before(std::span<const char> text, std::size_t end, std::size_t least) noexcept {
  while (end > least) {
    const CodePoint last = last_point(text, end, least);
    if (!last.whole || !is_space(last.point)) break;
    end -= last.bytes;
  }
  return end;
}

[[nodiscard]] std::size_t spaces_after(std::span<const char> text, std::size_t begin) noexcept {
  while (begin < text.size()) {
    const CodePoint first = first_point(text.subspan(begin));
    if (!is_space(first.point)) break;
    begin += first.bytes;
  }
  return begin;
}

/// Whether a character is one of words, as a list of the file has them.
[[nodiscard]] bool is_of_words(TokenFile file, std::uint32_t point) noexcept {
  const std::uint32_t* const flips = file.section(word_flips);
  std::uint32_t before = 0;
  for (std::uint32_t left = file.word(word_flip_count); left != 0;) {
    const std::uint32_t half = left / 2;
    if (flips[before + half] <= point) {
      before += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  return before % 2 != 0;
}

[[nodiscard]] bool is_single_word(TokenFile file, std::span<const char> text, std::size_t begin,
                                  std::size_t end) noexcept {
  return (begin == 0 || !is_of_words(file, last_point(text, begin, 0).point)) &&
         (end == text.size() || !is_of_words(file, first_point(text.subspan(end)).point));
}

struct NameMatch {
  const std::uint32_t* entry = nullptr;  ///< null: there is none
  std::size_t bytes = 0;
};

/// The longest name at the beginning of a text, where each is compared.
[[nodiscard]] NameMatch longest_compared(TokenFile file, const std::uint32_t* entries, std::uint32_t count,
                                         std::span<const char> text) noexcept {
  NameMatch longest;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t* const entry = entries + std::size_t{4} * k;
    const char* const name = file.bytes() + entry[1];
    if (name[0] != text[0] || longest.bytes >= entry[2]) continue;
    if (begins_with(text, {name, entry[2]})) longest = {entry, entry[2]};
  }
  return longest;
}

/// The same from a trie of the names, whose values are numbers of entries.
[[nodiscard]] NameMatch longest_in_trie(TokenFile file, TokenWord root, std::span<const char> text) noexcept {
  NameMatch longest;
  Trie trie = trie_of(file, root);
  for (std::size_t i = 0; i < text.size() && trie.step(text[i]); ++i) {
    const std::uint32_t entry = trie.value(file.word(word_raw_count) + file.word(word_normalized_count));
    if (entry != no_token) longest = {file.section(word_added) + std::size_t{4} * entry, i + 1};
  }
  return longest;
}

}  // namespace

AddedMatch AddedTokens::next() noexcept {
  const std::uint32_t raw = file.word(word_raw_count);
  const std::uint32_t first = normalized ? raw : 0;
  const std::uint32_t count = normalized ? file.word(word_normalized_count) : raw;
  const std::uint32_t* const entries = file.section(word_added) + std::size_t{4} * first;
  const TokenWord root = normalized ? word_normalized_root : word_raw_root;
  const bool in_trie = file.has_tries() && file.word(root) != no_token;
  while (from < text.size() && count != 0) {
    const std::span<const char> rest = text.subspan(from);
    NameMatch longest;
    if (begins_character(text[from]))
      longest = in_trie ? longest_in_trie(file, root, rest) : longest_compared(file, entries, count, rest);
    if (longest.entry == nullptr) {
      ++from;
      continue;
    }
    const std::uint32_t rules = longest.entry[3];
    AddedMatch match{longest.entry[0], from, from + longest.bytes};
    from = match.end;
    if ((rules & added_single_word) != 0 && !is_single_word(file, text, match.begin, match.end)) continue;
    if ((rules & added_strip_left) != 0) {
      match.begin = spaces_before(text, match.begin, taken);
      if (match.begin < taken) match.begin = taken;
    }
    if ((rules & added_strip_right) != 0) {
      // White space that has been passed is not looked at again.
      if (match.end >= spaces) spaces = spaces_after(text, match.end);
      match.end = spaces;
    }
    // The token before may have taken all of it.
    if (match.begin >= match.end) continue;
    return match;
  }
  return {};
}

}  // namespace heed::detail
