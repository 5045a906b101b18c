// SPDX-License-Identifier: MIT
//
// The longest pieces of words, as BERT reads text: normalized, then split at spaces and punctuation.
#include "text/encoding.hpp"
#include "text/unicode.hpp"

namespace heed {
namespace detail {
namespace {

constexpr char continues[2] = {'#', '#'};

[[nodiscard]] constexpr bool is_ideograph(std::uint32_t point) noexcept {
  return (point >= 0x3400 && point <= 0x4DBF) || (point >= 0x4E00 && point <= 0x9FFF) ||
         (point >= 0xF900 && point <= 0xFAFF) || (point >= 0x20000 && point <= 0x2A6DF) ||
         (point >= 0x2A700 && point <= 0x2B81F) || (point >= 0x2B920 && point <= 0x2CEAF) ||
         (point >= 0x2F800 && point <= 0x2FA1F);
}

struct WordPieces {
  /// Reads text without what is cleaned away, spaces around ideographs.
  [[nodiscard]] static bool read(TokenFile file, std::span<const char> text, std::span<std::uint32_t> room,
                                 std::uint32_t& points) noexcept {
    points = 0;
    const auto push = [&](std::uint32_t point) noexcept {
      if (points >= room.size()) return false;
      room[points++] = point;
      return true;
    };
    while (!text.empty()) {
      const CodePoint next = first_point(text);
      text = text.subspan(next.bytes);
      std::uint32_t point = next.point;
      if (file.has(rule_clean)) {
        if (word_class(point) == WordClass::control) continue;
        if (is_space(point)) point = ' ';
      }
      const bool parted = file.has(rule_ideographs) && is_ideograph(point);
      if (parted && !push(' ')) return false;
      if (!push(point)) return false;
      if (parted && !push(' ')) return false;
    }
    return true;
  }

  [[nodiscard]] static bool normalize(TokenFile file, std::span<const char> text, std::span<std::uint32_t> room,
                                      std::uint32_t& points) noexcept {
    if (!read(file, text, room, points)) return false;
    if (file.has(rule_strip_accents)) {
      if (!decompose(room.data(), points, static_cast<std::uint32_t>(room.size()))) return false;
      std::uint32_t kept = 0;
      for (std::uint32_t i = 0; i < points; ++i) {
        if (word_class(room[i]) != WordClass::mark) room[kept++] = room[i];
      }
      points = kept;
    }
    return !file.has(rule_lower_case) || make_lower(room, points);
  }

  /// U+0130 becomes two points, which the others make room for.
  [[nodiscard]] static bool make_lower(std::span<std::uint32_t> room, std::uint32_t& points) noexcept {
    std::uint32_t more = 0;
    for (std::uint32_t i = 0; i < points; ++i) more += room[i] == 0x130 ? 1U : 0U;
    if (points + more > room.size()) return false;
    std::uint32_t write = points + more;
    for (std::uint32_t i = points; i-- > 0;) {
      const std::uint32_t point = room[i];
      if (point == 0x130) room[--write] = 0x307;
      room[--write] = lower_case(point);
    }
    points += more;
    return true;
  }

  [[nodiscard]] static bool encode_word(TokenFile file, std::span<const char> word, EncodeWords& words) noexcept {
    std::uint32_t characters = 0;
    for (const char byte : word) characters += begins_character(byte) ? 1U : 0U;
    const std::uint32_t before = words.count;
    bool known = characters <= file.word(word_max_characters);
    for (std::span<const char> rest = word; known && !rest.empty();) {
      const std::span<const char> front =
          rest.size() == word.size() ? std::span<const char>() : std::span<const char>(continues);
      // No piece is longer than the longest.
      std::size_t end = std::size_t{file.word(word_longest)} < rest.size() ? file.word(word_longest) : rest.size();
      while (end < rest.size() && end != 0 && !begins_character(rest[end])) --end;
      std::uint32_t hash = add_hash(add_hash(hash_seed, front.data(), front.size()), rest.data(), end);
      std::uint32_t token = no_token;
      while (end != 0) {
        token = find_token(file, front, rest.first(end), hash);
        if (token != no_token) break;
        do hash = drop_hash(hash, rest[--end]);
        while (end != 0 && !begins_character(rest[end]));
      }
      known = token != no_token;
      if (known && !words.push(token)) return false;
      rest = rest.subspan(end);
    }
    if (known) return true;
    words.count = before;
    return words.push(file.word(word_unknown));
  }

  [[nodiscard]] static bool encode(TokenFile file, std::span<const char> text, bool, EncodeWords& words) noexcept {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size();) {
      const CodePoint next = first_point(text.subspan(i));
      const bool space = is_space(next.point);
      const bool parts = space || word_class(next.point) == WordClass::punctuation;
      if (parts) {
        if (begin < i && !encode_word(file, text.subspan(begin, i - begin), words)) return false;
        if (!space && !encode_word(file, text.subspan(i, next.bytes), words)) return false;
        begin = i + next.bytes;
      }
      i += next.bytes;
    }
    return begin >= text.size() || encode_word(file, text.subspan(begin), words);
  }
};

}  // namespace
}  // namespace detail

Status encode_word_pieces(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                          std::span<std::uint32_t> words, std::uint32_t& count) noexcept {
  return detail::encode_as<detail::WordPieces>(tokenizer, TokenizerKind::word_pieces, text, whole, words, count);
}

}  // namespace heed
