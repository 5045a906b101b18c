// SPDX-License-Identifier: MIT
//
// Canonical decomposition: Unicode Standard Annex 15; Hangul by its arithmetic.
#include "text/hangul.hpp"
#include "text/unicode.hpp"

namespace heed::detail {
namespace {

struct Parts {
  std::uint32_t first;
  std::uint32_t second;  ///< 0: there is none
};

/// What a point splits into in one step; itself and nothing if it is whole.
template <class Word>
[[nodiscard]] Parts find_split(const Word* splits, std::uint32_t count, std::uint32_t point) noexcept {
  std::uint32_t first = 0;
  for (std::uint32_t size = count; size > 1;) {
    const std::uint32_t half = size / 2;
    if (splits[std::size_t{3} * (first + half)] <= point) first += half;
    size -= half;
  }
  const Word* const split = splits + std::size_t{3} * first;
  return split[0] == point ? Parts{split[1], split[2]} : Parts{point, 0};
}

[[nodiscard]] Parts split_of(std::uint32_t point) noexcept {
  if (point < 0xC0) return {point, 0};
  const std::uint32_t syllable = point - hangul_first;
  if (syllable < hangul_count) {
    const std::uint32_t tail = syllable % hangul_tails;
    if (tail != 0) return {point - tail, hangul_tail + tail};
    return {hangul_lead + syllable / hangul_rows, hangul_vowel + syllable % hangul_rows / hangul_tails};
  }
  const Parts parts = point < 0x10000 ? find_split(short_splits, short_split_count, point) : Parts{point, 0};
  return parts.first != point ? parts : find_split(long_splits, long_split_count, point);
}

}  // namespace

bool decompose(std::uint32_t* points, std::uint32_t& count, std::uint32_t room) noexcept {
  // The text moves to the end of the room, and its parts are written in front of it.
  if (count > room) return false;
  std::uint32_t read = room - count;
  for (std::uint32_t i = count; i-- > 0;) points[read + i] = points[i];
  std::uint32_t written = 0;
  while (read < room) {
    // No point has more than four parts; only the first of two splits again.
    std::uint32_t rest[4];
    std::uint32_t rests = 0;
    Parts parts{points[read++], 0};
    for (Parts next = split_of(parts.first); next.first != parts.first; next = split_of(parts.first)) {
      if (next.second != 0 && rests < 4) rest[rests++] = next.second;
      parts = next;
    }
    if (written + 1 + rests > read) return false;
    points[written++] = parts.first;
    while (rests != 0) points[written++] = rest[--rests];
  }
  count = written;
  // Marks come in the order of their classes, those of one class as they are.
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t point = points[i];
    const std::uint32_t mark = combining_class(point);
    if (mark == 0) continue;
    std::uint32_t place = i;
    for (; place != 0 && combining_class(points[place - 1]) > mark; --place) points[place] = points[place - 1];
    points[place] = point;
  }
  return true;
}

}  // namespace heed::detail
