// SPDX-License-Identifier: MIT
#include "text/token_file_tries.hpp"

#include "text/utf8.hpp"

namespace heed::detail {
namespace {

constexpr std::uint32_t unused = 0xFF;

/// A step from a node goes to a word of the node's own 256, and so do all words below the end.
[[nodiscard]] bool units_are_sound(TokenFile file) noexcept {
  const std::uint32_t count = file.word(word_unit_count);
  const std::uint32_t* const units = file.section(word_units);
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((units[i] & 0xFFU) != 0 && units[i] >> 8 >= count) return false;
    if ((units[i] & 0xFFU) == unused && units[i] != unused) return false;
  }
  for (const TokenWord root : {word_piece_root, word_change_root, word_raw_root, word_normalized_root}) {
    if (file.word(root) != no_token && file.word(root) >= count) return false;
  }
  return true;
}

/// The exponent of a score, which sums of many do not take out of a binary64's range.
[[nodiscard]] bool scores_are_sound(TokenFile file) noexcept {
  constexpr std::uint32_t least = 1023 - 400;
  constexpr std::uint32_t greatest = 1023 + 400;
  const std::uint32_t* const scores = file.section(word_scores);
  for (std::uint32_t token = 0; token <= file.tokens(); ++token) {
    const std::uint32_t low = scores[std::size_t{2} * token];
    const std::uint32_t high = scores[std::size_t{2} * token + 1];
    const std::uint32_t exponent = high >> 20 & 0x7FFU;
    if ((low | high) != 0 && (exponent < least || exponent > greatest)) return false;
  }
  return true;
}

[[nodiscard]] bool changes_are_sound(TokenFile file) noexcept {
  const char* const texts = reinterpret_cast<const char*>(file.section(word_change_texts));
  const std::uint32_t* const changes = file.section(word_changes);
  for (std::uint32_t i = 0; i < file.word(word_change_count); ++i) {
    const std::uint32_t begin = changes[std::size_t{2} * i];
    const std::uint32_t bytes = changes[std::size_t{2} * i + 1] & 0xFFFFU;
    if (begin > file.word(word_change_bytes) || bytes > file.word(word_change_bytes) - begin) return false;
    std::uint32_t characters = 0;
    for (std::span<const char> text(texts + begin, bytes); !text.empty(); ++characters) {
      const CodePoint point = first_point(text);
      if (!point.whole) return false;
      text = text.subspan(point.bytes);
    }
    if (characters != changes[std::size_t{2} * i + 1] >> 16) return false;
  }
  return true;
}

[[nodiscard]] bool flips_are_sound(TokenFile file) noexcept {
  const std::uint32_t* const flips = file.section(word_flips);
  for (std::uint32_t i = 1; i < file.word(word_flip_count); ++i) {
    if (flips[i - 1] >= flips[i]) return false;
  }
  return true;
}

[[nodiscard]] bool classes_are_sound(TokenFile file) noexcept {
  const std::uint32_t count = file.word(word_class_count);
  const std::uint32_t* const classes = file.section(word_classes);
  if (count == 0) return file.word(word_splitter) < first_splitter_by_class;
  if (classes[0] >> class_bits != 0) return false;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (classes[i - 1] >> class_bits >= classes[i] >> class_bits) return false;
  }
  return true;
}

}  // namespace

const char* take_trie_sections(TokenFile file, TokenSections& sections) noexcept {
  const std::uint32_t units = file.word(word_unit_count);
  const bool unigram = file.word(word_kind) == static_cast<std::uint32_t>(TokenizerKind::unigram);
  if (units % 256 != 0 || units > 1U << 24) return "tries";
  for (std::uint32_t word = word_class_count + 1; word < token_header_words_tries; ++word) {
    if (file.words[word] != 0) return "reserved word";
  }
  if (!sections.take(word_units, std::uint64_t{4} * units)) return "tries";
  const std::uint64_t scores = unigram ? std::uint64_t{file.tokens()} + 1 : 0;
  if (!sections.take(word_scores, 8 * scores)) return "scores";
  if (!sections.take(word_changes, std::uint64_t{8} * file.word(word_change_count))) return "changes";
  if (!sections.take(word_change_texts, file.word(word_change_bytes))) return "changes";
  if (!sections.take(word_flips, std::uint64_t{4} * file.word(word_flip_count))) return "letters of words";
  if (!sections.take(word_classes, std::uint64_t{4} * file.word(word_class_count))) return "classes of characters";
  if (unigram && file.word(word_piece_root) == no_token) return "tries";
  return nullptr;
}

const char* check_tries(TokenFile file) noexcept {
  const bool unigram = file.word(word_kind) == static_cast<std::uint32_t>(TokenizerKind::unigram);
  if (!units_are_sound(file)) return "tries";
  if (unigram && !scores_are_sound(file)) return "scores";
  if (!changes_are_sound(file)) return "changes";
  if (!flips_are_sound(file)) return "letters of words";
  return classes_are_sound(file) ? nullptr : "classes of characters";
}

}  // namespace heed::detail
