// SPDX-License-Identifier: MIT
//
// What text is split and changed by: properties of code points, in tables that a program links if it asks for them.
#pragma once

#include <cstdint>

namespace heed::detail {

inline constexpr std::uint32_t letter_run_count = 1592;
inline constexpr std::uint32_t word_run_count = 847;
inline constexpr std::uint32_t lower_run_count = 185;
inline constexpr std::uint32_t combining_run_count = 496;
inline constexpr std::uint32_t short_split_count = 1486;
inline constexpr std::uint32_t long_split_count = 574;
inline constexpr std::uint32_t composition_count = 928;
inline constexpr std::uint32_t grapheme_run_count = 1366;

/// Runs of code points of one class: the first of each << 2 | class.
extern const std::uint32_t letter_runs[letter_run_count];
extern const std::uint32_t word_runs[word_run_count];
/// The first of each run << 4 | GraphemeClass.
extern const std::uint32_t grapheme_runs[grapheme_run_count];
/// Two words each: first of the run | count - 1 << 21; then the distance << 1 | 1 if every second point is meant.
extern const std::uint32_t lower_runs[2 * lower_run_count];
/// The first of each run << 8 | combining class.
extern const std::uint32_t combining_runs[combining_run_count];
/// A code point and the two that it splits into, the second 0 if it is one; ascending.
extern const std::uint16_t short_splits[3 * short_split_count];
extern const std::uint32_t long_splits[3 * long_split_count];
/// Numbers of short splits that are composed again, in the order of their parts; and which of the long ones are.
extern const std::uint16_t compositions[composition_count];
extern const bool long_composes[long_split_count];

/// The class of the run that a point lies in. The first run begins at 0.
[[nodiscard]] inline std::uint32_t class_in(const std::uint32_t* runs, std::uint32_t count, unsigned bits,
                                            std::uint32_t point) noexcept {
  std::uint32_t first = 0;
  for (std::uint32_t size = count; size > 1;) {
    const std::uint32_t half = size / 2;
    if (runs[first + half] >> bits <= point) first += half;
    size -= half;
  }
  return runs[first] & ((1U << bits) - 1);
}

/// As Unicode's White_Space.
[[nodiscard]] constexpr bool is_space(std::uint32_t point) noexcept {
  if (point < 0x80) return point == 0x20 || (point >= 9 && point <= 13);
  return point == 0x85 || point == 0xA0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

enum class Letter : std::uint8_t { other, letter, number };

/// Of Unicode 16.
[[nodiscard]] inline Letter letter_class(std::uint32_t point) noexcept {
  if (point < 0x80) {
    const std::uint32_t small = point | 0x20;
    return small >= 'a' && small <= 'z'   ? Letter::letter
           : point >= '0' && point <= '9' ? Letter::number
                                          : Letter::other;
  }
  return static_cast<Letter>(class_in(letter_runs, letter_run_count, 2, point));
}

enum class WordClass : std::uint8_t { other, control, punctuation, mark };

/// Of Unicode 8; U+FFFD is a control character.
[[nodiscard]] inline WordClass word_class(std::uint32_t point) noexcept {
  return static_cast<WordClass>(class_in(word_runs, word_run_count, 2, point));
}

/// What UAX #29 parts clusters by, of Unicode 17, from U+007F on: Grapheme_Cluster_Break, with Indic_Conjunct_Break and
/// Extended_Pictographic. A conjunct extends clusters and conjuncts; both kinds of syllables of Hangul are one.
enum class GraphemeClass : std::uint8_t {
  other,
  control,
  extend,
  conjunct,
  linker,
  spacing,
  prepend,
  lead,
  vowel,
  tail,
  syllable,
  regional,
  pictograph,
  consonant,
  joiner,
};

/// Of Unicode 17; U+0130 becomes two, of which this is the first.
[[nodiscard]] std::uint32_t lower_case(std::uint32_t point) noexcept;

/// Splits code points [count] into base characters and marks, each run of marks in its order (NFD), in place.
/// Writes the count; false if there is no room for them.
[[nodiscard]] bool decompose(std::uint32_t* points, std::uint32_t& count, std::uint32_t room) noexcept;

/// NFD becomes NFC, in place; returns how many are left.
[[nodiscard]] std::uint32_t compose(std::uint32_t* points, std::uint32_t count) noexcept;

}  // namespace heed::detail
