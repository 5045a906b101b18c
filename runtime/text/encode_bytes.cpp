// SPDX-License-Identifier: MIT
//
// Merges of bytes in words that a regular expression finds: GPT-2, SmolLM, Llama 3, Qwen2, GPT-4o,
// Tekken, DeepSeek-V3.
#include "text/byte_pairs.hpp"
#include "text/encoding.hpp"
#include "text/splitters.hpp"
#include "text/unicode.hpp"

namespace heed {
namespace detail {
namespace {

struct BytePairs {
  [[nodiscard]] static bool normalize(TokenFile file, std::span<const char> text, std::span<std::uint32_t> room,
                                      std::uint32_t& points) noexcept {
    if (!read_points(text, room, points)) return false;
    if (!file.has(rule_nfc)) return true;
    bool ascii = true;
    for (std::uint32_t i = 0; i < points && ascii; ++i) ascii = room[i] < 0x80;
    if (ascii) return true;
    if (!decompose(room.data(), points, static_cast<std::uint32_t>(room.size()))) return false;
    points = compose(room.data(), points);
    return true;
  }

  [[nodiscard]] static bool encode_word(TokenFile file, std::span<const char> word, EncodeWords& words) noexcept {
    if (file.has(rule_whole_words)) {
      const std::uint32_t token = find_token(file, word);
      if (token != no_token) return words.push(token);
    }
    const std::span<std::uint32_t> room = words.room();
    const std::uint32_t* const byte_ids = file.section(word_byte_ids);
    std::uint32_t count = 0;
    bool unknown = false;
    for (const char byte : word) {
      std::uint32_t token = byte_ids[static_cast<unsigned char>(byte)];
      const bool fused = unknown && file.has(rule_fuse_unknown);
      unknown = token == no_token;
      if (unknown) token = file.word(word_unknown);
      if (token == no_token || (unknown && fused)) continue;
      if (count >= room.size()) return false;
      room[count++] = token;
    }
    if (count == 0) return true;
    const std::uint32_t merged = merge_pairs(file, room, count);
    words.count += merged;
    return merged != 0;
  }

  [[nodiscard]] static bool encode(TokenFile file, std::span<const char> text, bool, EncodeWords& words) noexcept {
    if (file.has(rule_prefix_space) && text[0] != ' ') {
      // The byte in front belongs to nothing, or to an added token that has been written.
      char* const front = const_cast<char*>(text.data()) - 1;
      *front = ' ';
      text = {front, text.size() + 1};
    }
    while (!text.empty()) {
      const std::size_t bytes = first_word(file, text);
      if (!encode_word(file, text.first(bytes), words)) return false;
      text = text.subspan(bytes);
    }
    return true;
  }
};

}  // namespace
}  // namespace detail

Status encode_bytes(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                    std::span<std::uint32_t> words, std::uint32_t& count) noexcept {
  return detail::encode_as<detail::BytePairs>(tokenizer, TokenizerKind::bytes, text, whole, words, count);
}

}  // namespace heed
