// SPDX-License-Identifier: MIT
#include "text/token_file.hpp"

#include "format/crc32.hpp"
#include "heed/text.hpp"
#include "text/token_file_tries.hpp"
#include "text/token_sections.hpp"

namespace heed {
namespace {

using namespace detail;

[[nodiscard]] TextTokenizerFile refused_file(Status status, const char* field) noexcept {
  TextTokenizerFile refused;
  refused.status = status;
  refused.field = field;
  return refused;
}

[[nodiscard]] const char* check_sections(TokenFile file) noexcept {
  const std::uint64_t tokens = file.tokens();
  const std::uint32_t bucket_bits = file.word(word_bucket_bits);
  const std::uint32_t joint_bits = file.word(word_joint_bits);
  if (bucket_bits < 1 || bucket_bits > 24 || file.word(word_member_count) > tokens) return "table of the pieces";
  if (joint_bits < 1 || joint_bits > 24 || file.word(word_merge_count) > 1U << 26) return "table of the merges";
  const std::uint64_t added = std::uint64_t{file.word(word_raw_count)} + file.word(word_normalized_count);
  const std::uint64_t lists =
      std::uint64_t{file.word(word_begin_count)} + file.word(word_end_count) + file.word(word_stop_count);
  TokenSections sections(file, file.has_tries() ? token_header_words_tries : token_header_words);
  if (!sections.take(word_starts, 4 * (tokens + 1))) return "starts of the pieces";
  if (!sections.take(word_pieces, file.word(word_piece_bytes))) return "bytes of the pieces";
  if (!sections.take(word_marks, tokens)) return "marks of the tokens";
  if (!sections.take(word_buckets, 4 * (std::uint64_t{1U << bucket_bits} + 1))) return "table of the pieces";
  if (!sections.take(word_members, std::uint64_t{4} * file.word(word_member_count))) return "table of the pieces";
  if (!sections.take(word_joints, 4 * (std::uint64_t{1U << joint_bits} + 1))) return "table of the merges";
  if (!sections.take(word_merges, std::uint64_t{16} * file.word(word_merge_count))) return "merges";
  if (!sections.take(word_byte_ids, std::uint64_t{4} * 256)) return "tokens of the bytes";
  if (!sections.take(word_added, 16 * added)) return "added tokens";
  if (!sections.take(word_lists, 4 * lists)) return "tokens that begin and end a text";
  if (const char* const wrong = file.has_tries() ? take_trie_sections(file, sections) : nullptr) return wrong;
  return sections.at_end() ? nullptr : "bytes of the file";
}

/// Places in order, of parts of at most so many.
[[nodiscard]] bool ascend(const std::uint32_t* starts, std::uint32_t count, std::uint32_t end,
                          std::uint32_t most) noexcept {
  if (starts[0] != 0 || starts[count] != end) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (starts[i] > starts[i + 1] || starts[i + 1] - starts[i] > most) return false;
  }
  return true;
}

[[nodiscard]] const char* check_pieces(TokenFile file) noexcept {
  const std::uint32_t* const starts = file.section(word_starts);
  const std::uint32_t tokens = file.tokens();
  if (starts[tokens] > file.word(word_piece_bytes) || !ascend(starts, tokens, starts[tokens], ~0U)) {
    return "starts of the pieces";
  }
  std::uint32_t longest = 0;
  for (std::uint32_t token = 0; token < tokens; ++token) {
    const auto length = static_cast<std::uint32_t>(file.piece(token).size());
    longest = length > longest ? length : longest;
    const std::uint32_t marks = file.marks(token);
    if (marks > mark_all || ((marks & mark_present) == 0 && (marks != 0 || length != 0))) return "marks of the tokens";
    if ((marks & mark_byte) != 0 && length != 1) return "marks of the tokens";
    if ((marks & mark_continues) != 0 && length < 2) return "marks of the tokens";
  }
  return longest == file.word(word_longest) ? nullptr : "length of the longest piece";
}

[[nodiscard]] const char* check_tables(TokenFile file) noexcept {
  const std::uint32_t bits = file.word(word_bucket_bits);
  const std::uint32_t* const buckets = file.section(word_buckets);
  if (!ascend(buckets, 1U << bits, file.word(word_member_count), most_in_bucket)) return "table of the pieces";
  for (std::uint32_t bucket = 0; bucket < 1U << bits; ++bucket) {
    for (std::uint32_t i = buckets[bucket]; i < buckets[bucket + 1]; ++i) {
      const std::uint32_t token = file.section(word_members)[i];
      if (token >= file.tokens() || (file.marks(token) & mark_present) == 0) return "table of the pieces";
      const std::span<const char> piece = file.piece(token);
      if (bucket_of(add_hash(hash_seed, piece.data(), piece.size()), bits) != bucket) return "table of the pieces";
    }
  }
  const std::uint32_t joint_bits = file.word(word_joint_bits);
  const std::uint32_t* const joints = file.section(word_joints);
  if (!ascend(joints, 1U << joint_bits, file.word(word_merge_count), most_in_bucket)) return "table of the merges";
  for (std::uint32_t bucket = 0; bucket < 1U << joint_bits; ++bucket) {
    for (std::uint32_t i = joints[bucket]; i < joints[bucket + 1]; ++i) {
      const std::uint32_t* const merge = file.section(word_merges) + std::size_t{4} * i;
      const bool tokens = merge[0] < file.tokens() && merge[1] < file.tokens() && merge[3] < file.tokens();
      if (!tokens || merge[2] >= file.word(word_merge_count)) return "merges";
      if (bucket_of(pair_hash(merge[0], merge[1]), joint_bits) != bucket) return "table of the merges";
    }
  }
  return nullptr;
}

[[nodiscard]] bool is_present(TokenFile file, std::uint32_t token) noexcept {
  return token < file.tokens() && (file.marks(token) & mark_present) != 0;
}

[[nodiscard]] const char* check_lists(TokenFile file) noexcept {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const std::uint32_t token = file.section(word_byte_ids)[byte];
    if (token != no_token && !is_present(file, token)) return "tokens of the bytes";
    if (token == no_token && file.has(rule_byte_fallback)) return "tokens of the bytes";
  }
  // Each is looked for at each byte of a text.
  constexpr std::uint32_t most_name_bytes = 255;
  constexpr std::uint32_t most_compared_bytes = 1024;
  std::uint32_t bytes = 0;
  const std::uint32_t added = file.word(word_raw_count) + file.word(word_normalized_count);
  for (std::uint32_t i = 0; i < added; ++i) {
    const std::uint32_t* const entry = file.section(word_added) + std::size_t{4} * i;
    const std::uint64_t end = std::uint64_t{entry[1]} + entry[2];
    bytes += entry[2];
    if (entry[2] > most_name_bytes || (!file.has_tries() && bytes > most_compared_bytes)) return "added tokens";
    if (!is_present(file, entry[0]) || entry[2] == 0 || end > file.word(word_piece_bytes) ||
        entry[3] > (file.has_tries() ? added_all_tries : added_all)) {
      return "added tokens";
    }
  }
  const std::uint32_t lists = file.word(word_begin_count) + file.word(word_end_count) + file.word(word_stop_count);
  for (std::uint32_t i = 0; i < lists; ++i) {
    if (!is_present(file, file.section(word_lists)[i])) return "tokens that begin and end a text";
  }
  return nullptr;
}

[[nodiscard]] const char* check_header(TokenFile file) noexcept {
  const bool unigram = file.word(word_kind) == static_cast<std::uint32_t>(TokenizerKind::unigram);
  if (file.word(word_kind) < 1 || file.word(word_kind) > 4 || (unigram && !file.has_tries())) return "kind";
  if (file.tokens() == 0 || file.tokens() > max_text_tokens) return "number of tokens";
  if (file.word(word_rules) > (file.has_tries() ? rule_all_tries : rule_all)) return "rules";
  if (file.word(word_splitter) >= (file.has_tries() ? splitter_count : first_splitter_by_class)) return "splitter";
  const bool word_pieces_kind = file.word(word_kind) == static_cast<std::uint32_t>(TokenizerKind::word_pieces);
  if ((file.word(word_max_characters) != 0) != (word_pieces_kind || unigram)) return "longest word";
  if (unigram && file.word(word_max_characters) > max_piece_characters) return "longest word";
  if (file.word(word_begin_count) > max_template_tokens || file.word(word_end_count) > max_template_tokens) {
    return "tokens that begin and end a text";
  }
  if (file.word(word_stop_count) > file.tokens()) return "tokens that begin and end a text";
  if (file.word(word_raw_count) > file.tokens() || file.word(word_normalized_count) > file.tokens()) {
    return "added tokens";
  }
  if (file.word(word_reserved) != 0) return "reserved word";
  const char* wrong = check_sections(file);
  if (wrong != nullptr) return wrong;
  const std::uint32_t unknown = file.word(word_unknown);
  if (unknown != no_token && !is_present(file, unknown)) return "unknown token";
  return (word_pieces_kind || unigram) && unknown == no_token ? "unknown token" : nullptr;
}

}  // namespace

namespace detail {

TextTokenizerFile check_token_file(std::span<const std::byte> bytes) noexcept {
  if (bytes.data() == nullptr) return refused_file(Status::null_pointer, "address");
  if (bytes.size() >= std::size_t{1} << 31) return refused_file(Status::too_large, "length");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint32_t) != 0) {
    return refused_file(Status::arena_misaligned, "address");
  }
  if (bytes.size() < std::size_t{4} * token_header_words) return refused_file(Status::bad_file, "length of the header");
  const TokenFile file{reinterpret_cast<const std::uint32_t*>(bytes.data())};
  if (file.word(word_magic) != token_magic) return refused_file(Status::bad_file, "first word");
  if (file.word(word_version) != token_version && !file.has_tries()) return refused_file(Status::bad_file, "version");
  if (file.has_tries() && bytes.size() < std::size_t{4} * token_header_words_tries) {
    return refused_file(Status::bad_file, "length of the header");
  }
  if (file.word(word_bytes) != bytes.size()) return refused_file(Status::bad_file, "bytes of the file");
  constexpr std::size_t checked = std::size_t{4} * (word_crc + 1);
  if (file.word(word_crc) != crc32(bytes.data() + checked, bytes.size() - checked)) {
    return refused_file(Status::bad_file, "checksum");
  }
  const char* wrong = check_header(file);
  if (wrong == nullptr) wrong = check_pieces(file);
  if (wrong == nullptr) wrong = check_tables(file);
  if (wrong == nullptr) wrong = check_lists(file);
  if (wrong == nullptr && file.has_tries()) wrong = check_tries(file);
  if (wrong != nullptr) return refused_file(Status::bad_file, wrong);
  TextTokenizerFile read{.field = ""};
  read.kind = static_cast<TokenizerKind>(file.word(word_kind));
  read.tokens = file.tokens();
  read.max_bytes = file.word(word_longest);
  return read;
}

}  // namespace detail

TextTokenizerFile read_text_tokenizer(std::span<const std::byte> file) noexcept {
  return detail::check_token_file(file);
}

Status TextTokenizer::bind(std::span<const std::byte> file) noexcept {
  const TextTokenizerFile read = detail::check_token_file(file);
  if (read.status == Status::ok) words_ = reinterpret_cast<const std::uint32_t*>(file.data());
  return read.status;
}

std::uint32_t TextTokenizer::tokens() const noexcept {
  return words_ == nullptr ? 0 : TokenFile{words_}.tokens();
}

TokenizerKind TextTokenizer::kind() const noexcept {
  return words_ == nullptr ? TokenizerKind::none : static_cast<TokenizerKind>(words_[word_kind]);
}

std::size_t TextTokenizer::decode_bytes() const noexcept {
  return words_ == nullptr ? 0 : 3 * (std::size_t{words_[word_longest]} + 4) + 1;
}

std::uint32_t TextTokenizer::end_tokens() const noexcept {
  return words_ == nullptr ? 0 : words_[word_end_count];
}

bool TextTokenizer::ends_text(std::uint32_t token) const noexcept {
  if (words_ == nullptr) return false;
  const TokenFile file{words_};
  const std::uint32_t* const stops = file.section(word_lists) + file.word(word_begin_count) + file.word(word_end_count);
  for (std::uint32_t i = 0; i < file.word(word_stop_count); ++i) {
    if (stops[i] == token) return true;
  }
  return false;
}

}  // namespace heed
