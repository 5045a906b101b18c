// SPDX-License-Identifier: MIT
#include "text/encoding.hpp"
#include "text/unicode.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] bool begins_with(std::span<const char> text, std::span<const char> name) noexcept {
  if (text.size() < name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (text[i] != name[i]) return false;
  }
  return true;
}

/// Where the spaces that end before `end` begin.
[[nodiscard]] std::size_t spaces_before(std::span<const char> text, std::size_t end, std::size_t least) noexcept {
  while (end > least) {
    std::size_t begin = end - 1;
    while (begin > least && end - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
    const CodePoint last = first_point(text.subspan(begin, end - begin));
    if (!last.whole || last.bytes != end - begin || !is_space(last.point)) break;
    end = begin;
  }
  return end;
}

[[nodiscard]] std::size_t spaces_after(std::span<const char> text, std::size_t begin) noexcept {
  while (begin < text.size()) {
    const CodePoint first = first_point(text.subspan(begin));
    if (!is_space(first.point)) break;
    begin += first.bytes;
  }
  return begin;
}

}  // namespace

AddedMatch find_added(TokenFile file, bool normalized, std::span<const char> text, std::size_t from,
                      std::size_t taken) noexcept {
  const std::uint32_t raw = file.word(word_raw_count);
  const std::uint32_t first = normalized ? raw : 0;
  const std::uint32_t count = normalized ? file.word(word_normalized_count) : raw;
  const std::uint32_t* const entries = file.section(word_added) + std::size_t{4} * first;
  for (std::size_t i = from; i < text.size() && count != 0; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;  // inside a character
    const std::uint32_t* longest = nullptr;
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t* const entry = entries + std::size_t{4} * k;
      const char* const name = file.bytes() + entry[1];
      if (name[0] != text[i] || (longest != nullptr && longest[2] >= entry[2])) continue;
      if (begins_with(text.subspan(i), {name, entry[2]})) longest = entry;
    }
    if (longest == nullptr) continue;
    AddedMatch match{longest[0], i, i + longest[2], i + longest[2]};
    if ((longest[3] & added_strip_left) != 0) match.begin = spaces_before(text, match.begin, taken);
    if ((longest[3] & added_strip_right) != 0) match.end = spaces_after(text, match.end);
    return match;
  }
  return {};
}

}  // namespace heed::detail
