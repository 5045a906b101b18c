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

/// Sorts marks by their classes, those of one class as they are: of their copy each class is taken in turn.
void order_run(std::uint32_t* run, std::uint32_t length, std::uint32_t* copy) noexcept {
  constexpr std::uint32_t point_bits = 21;
  for (std::uint32_t i = 0; i < length; ++i) copy[i] = combining_class(run[i]) << point_bits | run[i];
  std::uint32_t next = 0;
  for (std::uint32_t written = 0; written < length;) {
    const std::uint32_t mark = next;
    next = ~0U;
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint32_t other = copy[i] >> point_bits;
      if (other == mark) run[written++] = copy[i] & ((1U << point_bits) - 1);
      if (other > mark && other < next) next = other;
    }
  }
}

/// Canonical order; false if there is no room for a copy of the longest run of marks that are not in it.
[[nodiscard]] bool order_marks(std::uint32_t* points, std::uint32_t count, std::uint32_t room) noexcept {
  std::uint32_t begin = 0;
  std::uint32_t last = 0;
  bool ordered = true;
  for (std::uint32_t i = 0; i <= count; ++i) {
    const std::uint32_t mark = i < count ? combining_class(points[i]) : 0;
    if (mark != 0) {
      ordered = ordered && last <= mark;
      last = mark;
      continue;
    }
    if (!ordered) {
      if (i - begin > room - count) return false;
      order_run(points + begin, i - begin, points + count);
    }
    begin = i + 1;
    last = 0;
    ordered = true;
  }
  return true;
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
  return order_marks(points, count, room);
}

}  // namespace heed::detail
