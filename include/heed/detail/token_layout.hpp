// SPDX-License-Identifier: MIT
//
// The file of a text tokenizer: words of 32 bits, little-endian, read in place.
//
// Words 0 to 31 are the header, in version 2 words 0 to 47. Each section begins at a multiple of 64 bytes:
//   starts    tokens + 1 words: where the bytes of each token begin, and where the last ends
//   bytes     of the tokens, then names of added tokens
//   marks     a byte for each token: TokenMark
//   buckets   2^bits + 1 words: which part of the next section a hash of bytes has
//   members   the tokens that text may become, by the hash of their bytes
//   joints    2^bits + 1 words: the same for merges
//   merges    four words each: left, right, rank, token; by the hash of left and right
//   byte_ids  256 words: the token of each byte, or none
//   added     four words each: token, first byte and length of its name, AddedRule; those of text as it comes, then
//             those of normalized text
//   lists     tokens that begin a text, that end it, and at which generation ends
// In version 2 these follow:
//   units     a multiple of 256 words: tries, as a double array (text/trie.hpp): of the pieces of a unigram vocabulary,
//             of what its normalizer changes, of the names of added tokens, and of those of normalized text
//   scores    two words for each token, and for an unknown character: the low and the high half of a binary64
//   changes   two words each: first byte in the next section; bytes | characters << 16
//   texts     of the changes, in UTF-8
//   flips     a word each, ascending: code points at which the letters of words (\w) begin and end by turns
//   classes   a word each, ascending: code points at which runs of one CharacterClass begin, << 3 | class; none where
//             the splitter needs none
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/types.hpp"

namespace heed::detail {

inline constexpr std::uint32_t token_magic = 0x54454548U;  // "HEET"
inline constexpr std::uint32_t token_version = 1;
inline constexpr std::uint32_t token_version_tries = 2;
inline constexpr std::uint32_t token_header_words = 32;
inline constexpr std::uint32_t token_header_words_tries = 48;
inline constexpr std::uint32_t token_section_align = 64;
inline constexpr std::uint32_t no_token = ~0U;
inline constexpr std::uint32_t max_text_tokens = 1U << 24;
inline constexpr std::uint32_t max_piece_characters = 48;  ///< of a unigram vocabulary
/// What a normalizer makes of one byte of a text at most; U+FDFA with its 3 bytes becomes 18 characters, 33 bytes.
inline constexpr std::uint32_t max_change_characters = 6;
inline constexpr std::uint32_t max_change_bytes = 11;

/// Entries of a table that share a bucket: of two million by chance ten, and each is compared.
inline constexpr std::uint32_t most_in_bucket = 64;

/// What each word of the header is.
enum TokenWord : std::uint32_t {
  word_magic,
  word_version,
  word_bytes,
  word_crc,
  word_kind,
  word_tokens,
  word_rules,
  word_unknown,
  word_splitter,
  word_max_characters,
  word_longest,
  word_starts,
  word_pieces,
  word_piece_bytes,
  word_marks,
  word_bucket_bits,
  word_buckets,
  word_members,
  word_member_count,
  word_joint_bits,
  word_joints,
  word_merges,
  word_merge_count,
  word_byte_ids,
  word_added,
  word_raw_count,
  word_normalized_count,
  word_lists,
  word_begin_count,
  word_end_count,
  word_stop_count,
  word_reserved,
  word_units,  ///< from here on in version 2 alone
  word_unit_count,
  word_piece_root,  ///< of each trie; no_token: there is none
  word_change_root,
  word_raw_root,
  word_normalized_root,
  word_scores,
  word_changes,
  word_change_count,
  word_change_texts,
  word_change_bytes,
  word_flips,
  word_flip_count,
  word_classes,
  word_class_count,
};

/// Bits of word_rules: what is done to text, and to tokens.
enum TextRule : std::uint32_t {
  rule_prepend = 1U << 0,           ///< U+2581 in front of each part between added tokens
  rule_replace = 1U << 1,           ///< spaces become U+2581
  rule_metaspace = 1U << 2,         ///< the same, after tokens of normalized text are found
  rule_metaspace_always = 1U << 3,  ///< with U+2581 in front where there is none
  rule_metaspace_first = 1U << 4,   ///< the same at the beginning of the text alone
  rule_metaspace_split = 1U << 5,   ///< words begin at U+2581
  rule_fuse_unknown = 1U << 6,
  rule_byte_fallback = 1U << 7,
  rule_whole_words = 1U << 8,  ///< a word that is a token is not merged
  rule_prefix_space = 1U << 9,
  rule_nfc = 1U << 10,
  rule_clean = 1U << 11,
  rule_ideographs = 1U << 12,  ///< spaces around those of Chinese
  rule_strip_accents = 1U << 13,
  rule_lower_case = 1U << 14,
  rule_strip_first = 1U << 15,   ///< decoding drops a space that begins the text
  rule_strip_spaces = 1U << 16,  ///< decoding drops all U+2581 of the first token
  rule_all = (1U << 17) - 1,
  rule_strip_right = 1U << 17,       ///< white space at the end of each part goes; from here on in version 2 alone
  rule_squeeze_to_space = 1U << 18,  ///< two spaces and more become one
  rule_squeeze_to_mark = 1U << 19,   ///< or U+2581
  rule_split_spaces = 1U << 20,      ///< words are parted by white space, which goes
  rule_all_tries = (1U << 21) - 1,
};

enum Splitter : std::uint32_t {
  splitter_none,
  splitter_gpt2,
  splitter_llama3,
  splitter_qwen2,
  splitter_digits,
  splitter_gpt4o,  ///< from here on in version 2 alone, by the classes in the file
  splitter_deepseek3,
  splitter_tekken,
  splitter_count
};
inline constexpr std::uint32_t first_splitter_by_class = splitter_gpt4o;

/// General categories of Unicode, as splitters tell them apart.
enum CharacterClass : std::uint32_t {
  character_other,
  character_upper,   ///< Lu, Lt
  character_lower,   ///< Ll
  character_letter,  ///< Lm, Lo
  character_mark,    ///< Mn, Mc, Me
  character_number,  ///< Nd, Nl, No
  character_punctuation,
  character_symbol,
};
inline constexpr unsigned class_bits = 3;

enum TokenMark : std::uint8_t {
  mark_present = 1,    ///< there is such a token
  mark_special = 2,    ///< not shown
  mark_byte = 4,       ///< one byte of a character
  mark_continues = 8,  ///< a word piece that goes on: "##" is in front of its bytes
  mark_adjoins = 16,   ///< no space in front of it
  mark_all = 31,
};

enum AddedRule : std::uint32_t {
  added_strip_left = 1,
  added_strip_right = 2,
  added_all = 3,
  added_single_word = 4,  ///< in version 2 alone
  added_all_tries = 7,
};

/// FNV-1a over the bytes of a piece, in parts.
inline constexpr std::uint32_t hash_seed = 0x811C9DC5U;
[[nodiscard]] inline std::uint32_t add_hash(std::uint32_t hash, const char* bytes, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x01000193U;
  return hash;
}
/// The hash without the last of its bytes.
[[nodiscard]] inline std::uint32_t drop_hash(std::uint32_t hash, char last) noexcept {
  return (hash * 0x359C449BU) ^ static_cast<unsigned char>(last);
}
[[nodiscard]] inline std::uint32_t bucket_of(std::uint32_t hash, std::uint32_t bits) noexcept {
  return (hash * 0x9E3779B1U) >> (32 - bits);
}
[[nodiscard]] inline std::uint32_t pair_hash(std::uint32_t left, std::uint32_t right) noexcept {
  return (left * 0x85EBCA6BU) ^ (right + (left >> 3));
}

}  // namespace heed::detail
