// SPDX-License-Identifier: MIT
//
// Text as the pieces whose scores have the greatest sum, words as the models of T5 and XLM-R part them.
#include "text/best_pieces.hpp"
#include "text/changes.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace heed {
namespace detail {
namespace {

struct Unigram {
  [[nodiscard]] static bool normalize(TokenFile file, std::span<const char> text, std::span<std::uint32_t> room,
                                      std::uint32_t& points) noexcept {
    const std::uint32_t front = file.has(rule_prepend) ? 1 : 0;
    if (room.size() < front) return false;
    const std::span<std::uint32_t> rest = room.subspan(front);
    const bool changes = file.word(word_change_root) != no_token;
    if (!(changes ? read_changed(file, text, rest, points) : read_points(text, rest, points))) return false;
    while (file.has(rule_strip_right) && points != 0 && is_space(rest[points - 1])) --points;
    squeeze(file, rest, points);
    for (std::uint32_t i = 0; i < points && file.has(rule_replace); ++i) {
      if (rest[i] == ' ') rest[i] = space_mark;
    }
    if (front != 0 && points != 0) {
      room[0] = space_mark;
      ++points;
    }
    return true;
  }

  /// Two spaces and more become one character.
  static void squeeze(TokenFile file, std::span<std::uint32_t> room, std::uint32_t& points) noexcept {
    if (!file.has(rule_squeeze_to_space) && !file.has(rule_squeeze_to_mark)) return;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < points;) {
      std::uint32_t end = i;
      while (end < points && room[end] == ' ') ++end;
      if (end - i < 2) end = i + 1;
      const bool run = end - i > 1 && file.has(rule_squeeze_to_mark);
      room[kept++] = run ? space_mark : room[i];
      i = end;
    }
    points = kept;
  }

  /// A part without what parts words, of which Metaspace makes more.
  [[nodiscard]] static bool encode_marked(TokenFile file, std::span<const char> text, bool begins,
                                          EncodeWords& words) noexcept {
    const bool marks = file.has(rule_metaspace);
    const auto is_mark = [&](const CodePoint& next) noexcept {
      return next.point == space_mark || (marks && next.point == ' ');
    };
    bool front = file.has(rule_metaspace_always) || (file.has(rule_metaspace_first) && begins);
    front = front && !is_mark(first_point(text));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size() && file.has(rule_metaspace_split);) {
      const CodePoint next = first_point(text.subspan(i));
      if (is_mark(next) && (i != begin || front)) {
        if (!encode_best(file, {text.subspan(begin, i - begin), front, marks}, words)) return false;
        begin = i;
        front = false;
      }
      i += next.bytes;
    }
    return encode_best(file, {text.subspan(begin), front, marks}, words);
  }

  [[nodiscard]] static bool encode(TokenFile file, std::span<const char> text, bool begins,
                                   EncodeWords& words) noexcept {
    if (!file.has(rule_split_spaces)) return encode_marked(file, text, begins, words);
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size();) {
      const CodePoint next = i < text.size() ? first_point(text.subspan(i)) : CodePoint{' ', 1, true};
      if (is_space(next.point)) {
        const std::span<const char> word = text.subspan(begin, i - begin);
        if (!word.empty() && !encode_marked(file, word, begins && begin == 0, words)) return false;
        begin = i + next.bytes;
      }
      i += next.bytes;
    }
    return true;
  }
};

}  // namespace
}  // namespace detail

Status encode_unigram(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                      std::span<std::uint32_t> words, std::uint32_t& count) noexcept {
  return detail::encode_as<detail::Unigram>(tokenizer, TokenizerKind::unigram, text, whole, words, count);
}

}  // namespace heed
