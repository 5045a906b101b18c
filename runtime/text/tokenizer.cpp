// SPDX-License-Identifier: MIT
#include <bit>
#include <port.hpp>

#include "heed/text.hpp"

namespace heed {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t first_record = 4;  ///< after the length of the longest piece
constexpr std::uint32_t head_bytes = 8;    ///< of a record: its score and its length
constexpr std::uint32_t first_byte_token = 3;
constexpr std::uint32_t first_piece = first_byte_token + 256;
constexpr std::uint32_t byte_name_length = 6;  ///< of "<0xNN>"
constexpr std::uint32_t nothing = 0;           ///< no record has this offset

/// Every byte, for byte tokens to point to.
struct AllBytes {
  char bytes[256]{};
  constexpr AllBytes() noexcept {
    for (unsigned i = 0; i < 256; ++i) bytes[i] = static_cast<char>(i);
  }
};
constexpr AllBytes all_bytes;

[[nodiscard]] std::uint32_t read_word(Bytes file, std::uint32_t offset) noexcept {
  std::uint32_t word = 0;
  for (std::uint32_t i = 4; i-- > 0;) word = word << 8 | static_cast<std::uint32_t>(file[offset + i]);
  return word;
}

/// A record of a file that has been checked.
struct Record {
  Bytes file;
  std::uint32_t offset;

  [[nodiscard]] std::uint32_t length() const noexcept { return read_word(file, offset + 4); }
  [[nodiscard]] float score() const noexcept { return std::bit_cast<float>(read_word(file, offset)); }
  [[nodiscard]] const char* piece() const noexcept {
    return reinterpret_cast<const char*>(file.data()) + offset + head_bytes;
  }
  [[nodiscard]] std::uint32_t next() const noexcept { return offset + head_bytes + length(); }
};

[[nodiscard]] std::uint32_t hexadecimal(std::uint32_t digit) noexcept {
  return digit < 10 ? '0' + digit : 'A' + digit - 10;
}

/// Whether the record is named as the byte token of `byte`.
[[nodiscard]] bool names_byte(const Record& record, std::uint32_t byte) noexcept {
  if (record.length() != byte_name_length) return false;
  const std::uint32_t name[byte_name_length] = {'<', '0', 'x', hexadecimal(byte >> 4), hexadecimal(byte & 15), '>'};
  for (std::uint32_t i = 0; i < byte_name_length; ++i) {
    if (static_cast<std::uint32_t>(static_cast<unsigned char>(record.piece()[i])) != name[i]) return false;
  }
  return true;
}

[[nodiscard]] bool same(const char* a, const char* b, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

struct Text {
  const char* bytes;
  std::uint32_t length;
};

/// The first record from `first` on whose piece is a and then b, or nothing.
[[nodiscard]] std::uint32_t find(Bytes file, std::uint32_t first, Text a, Text b) noexcept {
  const auto end = static_cast<std::uint32_t>(file.size());
  for (Record record{file, first}; record.offset < end; record.offset = record.next()) {
    if (record.length() == a.length + b.length && same(record.piece(), a.bytes, a.length) &&
        same(record.piece() + a.length, b.bytes, b.length)) {
      return record.offset;
    }
  }
  return nothing;
}

/// Bytes of the character at the front of a text: up to three that continue its first.
[[nodiscard]] std::uint32_t character_bytes(std::span<const char> text) noexcept {
  std::uint32_t count = 1;
  while (count < 4 && count < text.size() && (static_cast<unsigned char>(text[count]) & 0xC0) == 0x80) ++count;
  return count;
}

[[nodiscard]] TokenizerFile refused_tokenizer(Status status, const char* field, std::uint32_t token = 0) noexcept {
  TokenizerFile refused;
  refused.status = status;
  refused.field = field;
  refused.token = token;
  return refused;
}

/// The tokens of a text while they are joined: for each its record, and the record that it and its right neighbour
/// would become.
struct Joining {
  Bytes file;
  std::uint32_t first;  ///< record
  std::uint32_t* records;
  std::uint32_t* joined;
  std::uint32_t count = 0;

  [[nodiscard]] Text text(std::uint32_t i) const noexcept {
    const Record record{file, records[i]};
    return {record.piece(), record.length()};
  }

  void find_joined(std::uint32_t i) const noexcept {
    // A byte token's piece is the name of the byte and no part of the text.
    const bool pieces = i + 1 < count && records[i] >= first && records[i + 1] >= first;
    joined[i] = pieces ? find(file, first, text(i), text(i + 1)) : nothing;
  }

  /// Joins the leftmost neighbours of the highest score; false if there are none.
  bool join_best() noexcept {
    std::uint32_t best = count;
    float highest = 0.0F;
    for (std::uint32_t i = 0; i + 1 < count; ++i) {
      if (joined[i] == nothing) continue;
      const float score = Record{file, joined[i]}.score();
      if (best == count || port::less(highest, score)) {
        best = i;
        highest = score;
      }
    }
    if (best == count) return false;
    records[best] = joined[best];
    --count;
    for (std::uint32_t i = best + 1; i < count; ++i) {
      records[i] = records[i + 1];
      joined[i] = joined[i + 1];
    }
    find_joined(best);
    if (best != 0) find_joined(best - 1);
    return true;
  }
};

}  // namespace

TokenizerFile read_tokenizer(std::span<const std::byte> file) noexcept {
  if (file.data() == nullptr) return refused_tokenizer(Status::null_pointer, "address");
  if (file.size() >= std::size_t{1} << 31) return refused_tokenizer(Status::too_large, "length");
  if (file.size() < first_record) return refused_tokenizer(Status::bad_file, "length of the longest piece");
  TokenizerFile read{.field = ""};
  read.max_bytes = read_word(file, 0);
  const auto end = static_cast<std::uint32_t>(file.size());
  std::uint32_t longest = 0;
  for (Record record{file, first_record}; record.offset < end; record.offset = record.next()) {
    const std::uint32_t token = read.tokens;
    if (end - record.offset < head_bytes)
      return refused_tokenizer(Status::bad_file, "score and length of a piece", token);
    const std::uint32_t length = record.length();
    if (length > end - record.offset - head_bytes)
      return refused_tokenizer(Status::bad_file, "length of a piece", token);
    if (length > read.max_bytes) return refused_tokenizer(Status::bad_file, "length of the longest piece", token);
    if ((read_word(file, record.offset) & 0x7F800000U) == 0x7F800000U) {
      return refused_tokenizer(Status::bad_file, "score of a piece", token);
    }
    const bool byte = token >= first_byte_token && token < first_piece;
    if (byte && !names_byte(record, token - first_byte_token)) {
      return refused_tokenizer(Status::bad_file, "name of a byte", token);
    }
    longest = length > longest ? length : longest;
    ++read.tokens;
  }
  if (read.tokens < first_piece) return refused_tokenizer(Status::bad_file, "number of tokens", read.tokens);
  if (longest != read.max_bytes) return refused_tokenizer(Status::bad_file, "length of the longest piece", read.tokens);
  return read;
}

Status Tokenizer::bind(std::span<const std::byte> file) noexcept {
  const TokenizerFile read = read_tokenizer(file);
  if (read.status != Status::ok) return read.status;
  file_ = file;
  tokens_ = read.tokens;
  Record record{file, first_record};
  for (std::uint32_t token = 0; token < first_piece; ++token) record.offset = record.next();
  pieces_ = record.offset;
  return Status::ok;
}

std::span<const char> Tokenizer::decode(std::uint32_t previous, std::uint32_t token) const noexcept {
  if (token >= tokens_) return {};
  if (token >= first_byte_token && token < first_piece) return {all_bytes.bytes + (token - first_byte_token), 1};
  Record record{file_, token < first_piece ? first_record : pieces_};
  for (std::uint32_t i = token < first_piece ? 0 : first_piece; i < token; ++i) record.offset = record.next();
  const std::span<const char> piece(record.piece(), record.length());
  return previous == begin_token && !piece.empty() && piece[0] == ' ' ? piece.subspan(1) : piece;
}

Status Tokenizer::encode(std::span<const char> text, std::span<std::uint32_t> words,
                         std::uint32_t& count) const noexcept {
  if (tokens_ == 0) return Status::not_initialised;
  if (words.data() == nullptr || (text.data() == nullptr && !text.empty())) return Status::null_pointer;
  if (text.size() >= std::size_t{1} << 30 || words.size() < encode_words(text.size())) return Status::bad_length;

  std::uint32_t* const records = words.data() + 1;
  Joining joining{file_, pieces_, records, records + text.size() + 1};
  if (!text.empty()) {
    const std::uint32_t space = find(file_, pieces_, {" ", 1}, {"", 0});
    if (space != nothing) records[joining.count++] = space;
  }
  // Byte tokens come with their numbers, which lie below every offset of a piece.
  for (std::span<const char> rest = text; !rest.empty();) {
    const std::uint32_t bytes = character_bytes(rest);
    const std::uint32_t found = find(file_, pieces_, {rest.data(), bytes}, {"", 0});
    if (found != nothing) records[joining.count++] = found;
    for (std::uint32_t i = 0; i < bytes && found == nothing; ++i) {
      records[joining.count++] = first_byte_token + static_cast<unsigned char>(rest[i]);
    }
    rest = rest.subspan(bytes);
  }
  for (std::uint32_t i = 0; i < joining.count; ++i) joining.find_joined(i);
  while (joining.join_best()) {
  }

  words[0] = begin_token;
  const auto end = static_cast<std::uint32_t>(file_.size());
  // Offsets become numbers, which lie in front of the offsets that are left.
  for (std::uint32_t i = 0; i < joining.count; ++i) {
    if (records[i] < pieces_) continue;
    std::uint32_t token = first_piece;
    for (Record record{file_, pieces_}; record.offset < end && record.offset != records[i]; ++token) {
      record.offset = record.next();
    }
    records[i] = token;
  }
  count = joining.count + 1;
  return Status::ok;
}

}  // namespace heed
