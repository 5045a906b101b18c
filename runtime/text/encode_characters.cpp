// SPDX-License-Identifier: MIT
//
// Merges of characters, as sentencepiece's models have them in tokenizer.json: words are parted by U+2581, or not at
// all.
#include "text/byte_pairs.hpp"
#include "text/encoding.hpp"
#include "text/utf8.hpp"

namespace heed {
namespace detail {
namespace {

struct Characters {
  [[nodiscard]] static bool normalize(TokenFile file, std::span<const char> text, std::span<std::uint32_t> room,
                                      std::uint32_t& points) noexcept {
    const std::uint32_t front = file.has(rule_prepend) ? 1 : 0;
    if (room.size() < front || !read_points(text, room.subspan(front), points)) return false;
    if (front != 0) room[0] = space_mark;
    points += front;
    for (std::uint32_t i = 0; i < points && file.has(rule_replace); ++i) {
      if (room[i] == ' ') room[i] = space_mark;
    }
    return true;
  }

  /// The first tokens of one character, its bytes, or the unknown token.
  struct Word {
    TokenFile file;
    std::span<std::uint32_t> room;
    std::uint32_t count = 0;
    bool unknown = false;  ///< the last character was

    [[nodiscard]] bool push(std::uint32_t token) noexcept {
      if (count >= room.size()) return false;
      room[count++] = token;
      return true;
    }

    [[nodiscard]] bool add(std::uint32_t point) noexcept {
      char bytes[4];
      const std::span<const char> character(bytes, write_point(point, bytes));
      const std::uint32_t token = find_token(file, character);
      const bool fused = unknown && file.has(rule_fuse_unknown);
      unknown = false;
      if (token != no_token) return push(token);
      if (file.has(rule_byte_fallback)) {
        bool fits = true;
        for (const char byte : character) {
          fits = fits && push(file.section(word_byte_ids)[static_cast<unsigned char>(byte)]);
        }
        return fits;
      }
      if (file.word(word_unknown) == no_token) return true;
      unknown = true;
      return fused || push(file.word(word_unknown));
    }
  };

  [[nodiscard]] static bool merge(const Word& word, EncodeWords& words) noexcept {
    if (word.count == 0) return true;
    const std::uint32_t merged = merge_pairs(word.file, word.room, word.count);
    words.count += merged;
    return merged != 0;
  }

  [[nodiscard]] static bool encode(TokenFile file, std::span<const char> text, bool begins,
                                   EncodeWords& words) noexcept {
    const bool metaspace = file.has(rule_metaspace);
    const bool split = file.has(rule_metaspace_split);
    Word word{file, words.room()};
    const std::uint32_t first = first_point(text).point;
    const bool front = file.has(rule_metaspace_always) || (file.has(rule_metaspace_first) && begins);
    if (front && first != ' ' && first != space_mark && !word.add(space_mark)) return false;
    bool empty = !front || first == ' ' || first == space_mark;
    while (!text.empty()) {
      const CodePoint next = first_point(text);
      const std::uint32_t point = metaspace && next.point == ' ' ? space_mark : next.point;
      if (split && point == space_mark && !empty) {
        if (!merge(word, words)) return false;
        word = {file, words.room()};
      }
      if (!word.add(point)) return false;
      empty = false;
      text = text.subspan(next.bytes);
    }
    return merge(word, words);
  }
};

}  // namespace
}  // namespace detail

Status encode_characters(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                         std::span<std::uint32_t> words, std::uint32_t& count) noexcept {
  return detail::encode_as<detail::Characters>(tokenizer, TokenizerKind::characters, text, whole, words, count);
}

}  // namespace heed
