// SPDX-License-Identifier: MIT
#include "text/graphemes.hpp"

#include "text/hangul.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace heed::detail {
namespace {

/// Where the syllable that Hangul is made of ends.
enum class Hangul : std::uint8_t { other, lead, vowel, tail };

[[nodiscard]] Hangul hangul_begin(GraphemeClass kind) noexcept {
  switch (kind) {
    case GraphemeClass::lead:
    case GraphemeClass::syllable: return Hangul::lead;
    case GraphemeClass::vowel: return Hangul::vowel;
    case GraphemeClass::tail: return Hangul::tail;
    default: return Hangul::other;
  }
}

[[nodiscard]] Hangul hangul_end(GraphemeClass kind, std::uint32_t point) noexcept {
  if (kind != GraphemeClass::syllable) return hangul_begin(kind);
  return (point - hangul_first) % hangul_tails == 0 ? Hangul::vowel : Hangul::tail;
}

/// What has been read of a cluster.
struct Cluster {
  GraphemeClass last;
  Hangul hangul;            ///< its end
  bool pictograph = false;  ///< and marks
  bool joined = false;      ///< and a joiner
  bool consonant = false;   ///< of an Indic script, and marks
  bool linked = false;      ///< with a linker among them
  bool flag = false;        ///< the first half of one

  Cluster(GraphemeClass kind, std::uint32_t point) noexcept : last(kind), hangul(hangul_end(kind, point)) {
    start(kind);
  }

  void start(GraphemeClass kind) noexcept {
    pictograph = kind == GraphemeClass::pictograph;
    joined = false;
    consonant = kind == GraphemeClass::consonant;
    linked = false;
    flag = kind == GraphemeClass::regional && !flag;
  }

  /// GB3 to GB13 of UAX #29; a line feed is a control that a carriage return may come before.
  [[nodiscard]] bool goes_on_with(GraphemeClass next) const noexcept {
    if (last == GraphemeClass::control || next == GraphemeClass::control) return false;
    switch (next) {
      case GraphemeClass::extend:
      case GraphemeClass::conjunct:
      case GraphemeClass::linker:
      case GraphemeClass::joiner:
      case GraphemeClass::spacing: return true;
      default: break;
    }
    if (last == GraphemeClass::prepend) return true;
    const Hangul begin = hangul_begin(next);
    if (begin != Hangul::other && hangul != Hangul::other) {
      // The classes at the beginning and the end of syllables: L before L, V and syllables; V before V and T; T before
      // T.
      if (hangul == Hangul::lead) return begin != Hangul::tail;
      return hangul == Hangul::vowel ? begin != Hangul::lead : begin == Hangul::tail;
    }
    return (next == GraphemeClass::consonant && consonant && linked) ||
           (next == GraphemeClass::pictograph && pictograph && joined) || (next == GraphemeClass::regional && flag);
  }

  void add(GraphemeClass next, std::uint32_t point) noexcept {
    const bool marks = next == GraphemeClass::extend || next == GraphemeClass::conjunct ||
                       next == GraphemeClass::linker || next == GraphemeClass::joiner;
    if (marks) {
      pictograph = pictograph && !joined;
      joined = next == GraphemeClass::joiner;
      consonant = consonant && next != GraphemeClass::extend;
      linked = linked || next == GraphemeClass::linker;
      flag = false;
    } else {
      start(next);
    }
    last = next;
    hangul = hangul_end(next, point);
  }
};

[[nodiscard]] GraphemeClass class_of(std::uint32_t point) noexcept {
  if (point < 0x7F) return point < 0x20 ? GraphemeClass::control : GraphemeClass::other;
  return static_cast<GraphemeClass>(class_in(grapheme_runs, grapheme_run_count, 4, point));
}

}  // namespace

std::size_t first_grapheme(std::span<const char> text) noexcept {
  const CodePoint first = first_point(text);
  std::size_t bytes = first.bytes;
  if (first.point == '\r') return bytes < text.size() && text[bytes] == '\n' ? 2 : 1;
  Cluster cluster(class_of(first.point), first.point);
  while (bytes < text.size()) {
    const CodePoint next = first_point(text.subspan(bytes));
    const GraphemeClass kind = class_of(next.point);
    if (!cluster.goes_on_with(kind)) break;
    cluster.add(kind, next.point);
    bytes += next.bytes;
  }
  return bytes;
}

}  // namespace heed::detail
