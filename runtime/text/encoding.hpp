// SPDX-License-Identifier: MIT
//
// What every kind of tokenizer does with a text: added tokens, the parts between them normalized, and the template.
#pragma once

#include <span>

#include "text/token_file.hpp"
#include "text/utf8.hpp"

namespace heed::detail {

inline constexpr std::size_t max_text_bytes = std::size_t{1} << 26;

/// The words of a call: tokens at the front, the normalized text of the present part at the end, room between.
struct EncodeWords {
  std::span<std::uint32_t> all;
  std::uint32_t count = 0;  ///< of the tokens
  std::size_t end = 0;      ///< of the room

  [[nodiscard]] std::span<std::uint32_t> room() const noexcept { return all.subspan(count, end - count); }
  [[nodiscard]] bool push(std::uint32_t token) noexcept {
    if (count >= end) return false;
    all[count++] = token;
    return true;
  }
};

/// An added token in a text.
struct AddedMatch {
  std::uint32_t token = no_token;  ///< no_token: there is none left
  std::size_t begin = 0;           ///< with the spaces that it takes
  std::size_t end = 0;
};

/// The added tokens of a text as it comes, or of normalized text, from left to right.
struct AddedTokens {
  TokenFile file;
  bool normalized;
  std::span<const char> text;
  std::size_t taken = 0;   ///< where the last one ended
  std::size_t from = 0;    ///< the search goes on here, behind its name
  std::size_t spaces = 0;  ///< where white space ends that one has taken

  [[nodiscard]] AddedMatch next() noexcept;
};

/// Calls part(text, begins) for each part between added tokens, and writes those.
template <class Part>
[[nodiscard]] bool for_each_part(TokenFile file, bool normalized, std::span<const char> text, EncodeWords& words,
                                 const Part& part) noexcept {
  AddedTokens added{file, normalized, text};
  for (;;) {
    const std::size_t taken = added.taken;
    const AddedMatch match = added.next();
    if (match.token == no_token) return taken >= text.size() || part(text.subspan(taken), taken == 0);
    if (taken < match.begin && !part(text.subspan(taken, match.begin - taken), taken == 0)) return false;
    if (!words.push(match.token)) return false;
    added.taken = match.end;
  }
}

/// Normalized code points at the front of the room become text in UTF-8 at its end, with a byte free in front of it.
[[nodiscard]] inline std::span<char> to_text_at_end(EncodeWords& words, std::uint32_t points) noexcept {
  const std::span<std::uint32_t> room = words.room();
  // A word has four bytes, and a code point no more: what is written lies before what is read.
  auto* const bytes = reinterpret_cast<char*>(room.data());
  std::size_t length = 0;
  for (std::uint32_t i = 0; i < points; ++i) {
    char character[4];
    const std::uint32_t count = write_point(room[i], character);
    for (std::uint32_t k = 0; k < count; ++k) bytes[length++] = character[k];
  }
  const std::size_t taken = length / 4 + 1;
  if (taken > room.size()) return {};
  char* const place = bytes + 4 * room.size() - length;
  for (std::size_t i = length; i-- > 0;) place[i] = bytes[i];
  words.end -= taken;
  return {place, length};
}

/// Kind::normalize(file, text, room, points) writes code points, Kind::encode(file, text, begins, words) the tokens of
/// a part; either is false where the room does not suffice.
template <class Kind>
[[nodiscard]] Status encode_as(const TextTokenizer& tokenizer, TokenizerKind kind, std::span<const char> text,
                               bool whole, std::span<std::uint32_t> all, std::uint32_t& count) noexcept {
  if (tokenizer.words() == nullptr) return Status::not_initialised;
  if (all.data() == nullptr || (text.data() == nullptr && !text.empty())) return Status::null_pointer;
  if (tokenizer.kind() != kind) return Status::bad_option;
  if (text.size() >= max_text_bytes) return Status::bad_length;
  const TokenFile file{tokenizer.words()};
  EncodeWords words{all, 0, all.size()};
  const std::uint32_t* const lists = file.section(word_lists);
  const auto add_list = [&](std::uint32_t first, std::uint32_t tokens) noexcept {
    bool fits = true;
    for (std::uint32_t i = 0; i < tokens && whole; ++i) fits = fits && words.push(lists[first + i]);
    return fits;
  };
  const auto part = [&](std::span<const char> raw, bool begins) noexcept {
    std::uint32_t points = 0;
    if (!Kind::normalize(file, raw, words.room(), points)) return false;
    if (points == 0) return true;
    const std::span<char> normalized = to_text_at_end(words, points);
    const bool fits = !normalized.empty() && for_each_part(file, true, normalized, words,
                                                           [&](std::span<const char> rest, bool first) noexcept {
                                                             return Kind::encode(file, rest, begins && first, words);
                                                           });
    words.end = all.size();
    return fits;
  };
  const bool fits = add_list(0, file.word(word_begin_count)) && for_each_part(file, false, text, words, part) &&
                    add_list(file.word(word_begin_count), file.word(word_end_count));
  if (!fits) return Status::bad_length;
  count = words.count;
  return Status::ok;
}

/// The code points of a text; false if there is no room for them.
[[nodiscard]] inline bool read_points(std::span<const char> text, std::span<std::uint32_t> room,
                                      std::uint32_t& count) noexcept {
  count = 0;
  while (!text.empty()) {
    if (count >= room.size()) return false;
    const CodePoint next = first_point(text);
    room[count++] = next.point;
    text = text.subspan(next.bytes);
  }
  return true;
}

}  // namespace heed::detail
