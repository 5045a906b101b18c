// SPDX-License-Identifier: MIT
//
// Canonical composition: Unicode Standard Annex 15.
#include "text/hangul.hpp"

namespace heed::detail {
namespace {

/// What two points become together, or 0.
[[nodiscard]] std::uint32_t composed(std::uint32_t first, std::uint32_t second) noexcept {
  const std::uint32_t lead = first - hangul_lead;
  const std::uint32_t vowel = second - hangul_vowel;
  if (lead < hangul_leads && vowel < hangul_vowels) return hangul_first + (lead * hangul_vowels + vowel) * hangul_tails;
  const std::uint32_t syllable = first - hangul_first;
  const std::uint32_t tail = second - hangul_tail;
  if (syllable < hangul_count && syllable % hangul_tails == 0 && tail - 1 < hangul_tails - 1) return first + tail;
  std::uint32_t low = 0;
  for (std::uint32_t high = composition_count; low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::uint16_t* const split = short_splits + std::size_t{3} * compositions[middle];
    if (split[1] == first && split[2] == second) return split[0];
    const bool before = split[1] != first ? split[1] < first : split[2] < second;
    low = before ? middle + 1 : low;
    high = before ? high : middle;
  }
  for (std::uint32_t i = 0; first > 0xFFFF && i < long_split_count; ++i) {
    const std::uint32_t* const split = long_splits + std::size_t{3} * i;
    if (long_composes[i] && split[1] == first && split[2] == second) return split[0];
  }
  return 0;
}

}  // namespace

std::uint32_t compose(std::uint32_t* points, std::uint32_t count) noexcept {
  std::uint32_t written = 0;
  std::uint32_t base = count;   // place of the last starter; count: none so far
  std::uint32_t last_mark = 0;  // class of what was written last after it
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t point = points[i];
    const std::uint32_t mark = combining_class(point);
    // Blocked: something between has no lower class.
    const bool adjacent = base != count && written == base + 1;
    if (base != count && (adjacent || last_mark < mark)) {
      const std::uint32_t joined = composed(points[base], point);
      if (joined != 0) {
        points[base] = joined;
        continue;
      }
    }
    if (mark == 0) base = written;
    last_mark = mark;
    points[written++] = point;
  }
  return written;
}

}  // namespace heed::detail
