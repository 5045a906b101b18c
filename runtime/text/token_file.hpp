// SPDX-License-Identifier: MIT
//
// The file of a text tokenizer, read in place; heed/detail/token_layout.hpp says what lies where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/detail/token_layout.hpp"
#include "heed/text.hpp"

namespace heed::detail {

/// A file that has been checked.
struct TokenFile {
  const std::uint32_t* words;

  [[nodiscard]] std::uint32_t word(TokenWord number) const noexcept { return words[number]; }
  [[nodiscard]] const std::uint32_t* section(TokenWord number) const noexcept { return words + words[number] / 4; }
  [[nodiscard]] const char* bytes() const noexcept { return reinterpret_cast<const char*>(words) + words[word_pieces]; }
  [[nodiscard]] std::uint32_t tokens() const noexcept { return words[word_tokens]; }
  [[nodiscard]] bool has(TextRule rule) const noexcept { return (words[word_rules] & rule) != 0; }
  [[nodiscard]] bool has_tries() const noexcept { return words[word_version] == token_version_tries; }

  [[nodiscard]] std::span<const char> piece(std::uint32_t token) const noexcept {
    const std::uint32_t* const starts = section(word_starts);
    return {bytes() + starts[token], starts[token + 1] - starts[token]};
  }
  [[nodiscard]] std::uint32_t marks(std::uint32_t token) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(words)[words[word_marks] + token];
  }
};

/// The token whose piece is `front` and then `text`, or no_token; `hash` is that of both.
[[nodiscard]] inline std::uint32_t find_token(TokenFile file, std::span<const char> front, std::span<const char> text,
                                              std::uint32_t hash) noexcept {
  const std::uint32_t* const buckets = file.section(word_buckets) + bucket_of(hash, file.word(word_bucket_bits));
  const std::uint32_t* const members = file.section(word_members);
  for (std::uint32_t i = buckets[0]; i < buckets[1]; ++i) {
    const std::span<const char> piece = file.piece(members[i]);
    if (piece.size() != front.size() + text.size()) continue;
    bool same = true;
    for (std::size_t k = 0; k < front.size() && same; ++k) same = piece[k] == front[k];
    for (std::size_t k = 0; k < text.size() && same; ++k) same = piece[front.size() + k] == text[k];
    if (same) return members[i];
  }
  return no_token;
}

/// The same for a piece without anything in front.
[[nodiscard]] inline std::uint32_t find_token(TokenFile file, std::span<const char> text) noexcept {
  return find_token(file, {}, text, add_hash(hash_seed, text.data(), text.size()));
}

/// What the bytes of a tokenizer's file say, checked; its words where they lie.
[[nodiscard]] TextTokenizerFile check_token_file(std::span<const std::byte> bytes) noexcept;

}  // namespace heed::detail
