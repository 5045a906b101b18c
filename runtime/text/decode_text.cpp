// SPDX-License-Identifier: MIT
#include "text/token_file.hpp"
#include "text/utf8.hpp"

namespace heed {
namespace detail {
namespace {

constexpr char unreadable[] = {'\xEF', '\xBF', '\xBD'};  // U+FFFD

/// Where text is written; what does not fit is counted no more.
struct TextRoom {
  std::span<char> text;
  std::size_t count = 0;
  bool full = false;

  void write(std::span<const char> bytes) noexcept {
    full = full || text.size() - count < bytes.size();
    for (std::size_t i = 0; i < bytes.size() && !full; ++i) text[count++] = bytes[i];
  }
};

/// A TextDecoder while it works.
struct Decoding {
  TokenFile file;
  TextRoom& room;
  char* kept;
  std::uint8_t& count;
  bool& begun;
  bool alone;  ///< each byte of a broken character counts

  void character(std::span<const char> bytes) noexcept {
    const bool dropped = !begun && file.has(rule_strip_first) && bytes.size() == 1 && bytes[0] == ' ';
    begun = true;
    if (!dropped) room.write(bytes);
  }

  void give_up() noexcept {
    for (std::uint8_t i = 0; i < count && (alone || i == 0); ++i) character(unreadable);
    count = 0;
  }

  void byte(char next) noexcept {
    const auto value = static_cast<unsigned char>(next);
    const auto first = static_cast<unsigned char>(kept[0]);
    if (count != 0 && !(count == 1 ? may_follow(first, value) : (value & 0xC0U) == 0x80U)) give_up();
    const std::uint32_t length = character_length(count == 0 ? value : first);
    if (length == 0) return character(unreadable);
    kept[count++] = next;
    if (count < length) return;
    const std::uint8_t whole = count;
    count = 0;
    character({kept, whole});
  }

  /// Text with U+2581 for spaces; `drops` leaves them out.
  void marked(std::span<const char> piece, bool drops) noexcept {
    while (!piece.empty()) {
      const CodePoint next = first_point(piece);
      const bool mark = next.bytes == 3 && piece[0] == space_mark_bytes[0] && piece[1] == space_mark_bytes[1] &&
                        piece[2] == space_mark_bytes[2];
      if (!mark) character(piece.first(next.bytes));
      if (mark && !drops) character(std::span<const char>(" ", 1));
      piece = piece.subspan(next.bytes);
    }
  }

  void word_piece(std::span<const char> piece, std::uint32_t marks) noexcept {
    if (begun && (marks & mark_continues) != 0) piece = piece.subspan(2);
    if (begun && (marks & (mark_continues | mark_adjoins)) == 0) room.write(std::span<const char>(" ", 1));
    room.write(piece);
    begun = true;
  }

  void token(std::uint32_t number, bool broken) noexcept {
    const std::span<const char> piece = file.piece(number);
    const std::uint32_t marks = file.marks(number);
    const auto kind = static_cast<TokenizerKind>(file.word(word_kind));
    if (kind == TokenizerKind::word_pieces) return word_piece(piece, marks);
    if (kind == TokenizerKind::bytes) {
      for (const char next : piece) byte(next);
      return;
    }
    if ((marks & mark_byte) != 0) return broken ? character(unreadable) : byte(piece[0]);
    give_up();
    marked(piece, !begun && file.has(rule_strip_spaces));
    begun = begun || file.has(rule_strip_spaces);
  }
};

[[nodiscard]] bool is_shown(TokenFile file, std::uint32_t token, bool special) noexcept {
  return special || (file.marks(token) & mark_special) == 0;
}

/// Whether the byte tokens from here on are text.
[[nodiscard]] bool run_is_text(TokenFile file, std::span<const std::uint32_t> tokens, bool special) noexcept {
  char kept[4]{};
  std::uint32_t count = 0;
  for (const std::uint32_t token : tokens) {
    if (token >= file.tokens()) break;
    if (!is_shown(file, token, special)) continue;
    if ((file.marks(token) & mark_byte) == 0) break;
    kept[count++] = file.piece(token)[0];
    const CodePoint point = first_point({kept, count});
    if (point.whole) count = 0;
    if (!point.whole && (point.bytes < count || character_length(static_cast<unsigned char>(kept[0])) == 0))
      return false;
  }
  return count == 0;
}

}  // namespace
}  // namespace detail

using namespace detail;

Status TextDecoder::bind(const TextTokenizer& tokenizer, bool special) noexcept {
  if (tokenizer.words() == nullptr) return Status::not_initialised;
  *this = TextDecoder();
  tokenizer_ = tokenizer;
  special_ = special;
  return Status::ok;
}

Status TextDecoder::decode(std::uint32_t token, std::span<char> text, std::size_t& count) noexcept {
  if (tokenizer_.words() == nullptr) return Status::not_initialised;
  if (text.data() == nullptr) return Status::null_pointer;
  if (text.size() < tokenizer_.decode_bytes()) return Status::bad_length;
  const TokenFile file{tokenizer_.words()};
  if (token >= file.tokens() || (file.marks(token) & mark_present) == 0) return Status::bad_token;
  TextRoom room{text};
  const bool alone = tokenizer_.kind() != TokenizerKind::bytes;
  if (is_shown(file, token, special_)) {
    Decoding{file, room, kept_, count_, begun_, alone}.token(token, false);
  }
  count = room.count;
  return Status::ok;
}

Status TextDecoder::finish(std::span<char> text, std::size_t& count) noexcept {
  if (tokenizer_.words() == nullptr) return Status::not_initialised;
  if (text.data() == nullptr) return Status::null_pointer;
  if (text.size() < tokenizer_.decode_bytes()) return Status::bad_length;
  TextRoom room{text};
  const bool alone = tokenizer_.kind() != TokenizerKind::bytes;
  Decoding{TokenFile{tokenizer_.words()}, room, kept_, count_, begun_, alone}.give_up();
  begun_ = false;
  count = room.count;
  return Status::ok;
}

Status decode_text(const TextTokenizer& tokenizer, std::span<const std::uint32_t> tokens, bool special,
                   std::span<char> text, std::size_t& count) noexcept {
  TextDecoder decoder;
  const Status status = decoder.bind(tokenizer, special);
  if (status != Status::ok) return status;
  if ((tokens.data() == nullptr && !tokens.empty()) || (text.data() == nullptr && !text.empty())) {
    return Status::null_pointer;
  }
  const TokenFile file{tokenizer.words()};
  TextRoom room{text};
  Decoding decoding{file,           room,           decoder.kept_,
                    decoder.count_, decoder.begun_, tokenizer.kind() != TokenizerKind::bytes};
  bool in_run = false;
  bool broken = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::uint32_t token = tokens[i];
    if (token >= file.tokens() || (file.marks(token) & mark_present) == 0) return Status::bad_token;
    if (!is_shown(file, token, special)) continue;
    const bool is_byte = (file.marks(token) & mark_byte) != 0;
    if (is_byte && !in_run) broken = !run_is_text(file, tokens.subspan(i), special);
    in_run = is_byte;
    decoding.token(token, broken);
  }
  decoding.give_up();
  if (room.full) return Status::bad_length;
  count = room.count;
  return Status::ok;
}

}  // namespace heed
