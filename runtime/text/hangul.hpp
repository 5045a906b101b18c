// SPDX-License-Identifier: MIT
//
// How syllables of Hangul are numbered: Unicode Standard, 3.12; and combining classes.
#pragma once

#include "text/unicode.hpp"

namespace heed::detail {

inline constexpr std::uint32_t hangul_first = 0xAC00;
inline constexpr std::uint32_t hangul_lead = 0x1100;
inline constexpr std::uint32_t hangul_vowel = 0x1161;
inline constexpr std::uint32_t hangul_tail = 0x11A7;  ///< before the first
inline constexpr std::uint32_t hangul_leads = 19;
inline constexpr std::uint32_t hangul_vowels = 21;
inline constexpr std::uint32_t hangul_tails = 28;
inline constexpr std::uint32_t hangul_rows = hangul_vowels * hangul_tails;
inline constexpr std::uint32_t hangul_count = hangul_leads * hangul_rows;

[[nodiscard]] inline std::uint32_t combining_class(std::uint32_t point) noexcept {
  return point < 0x300 ? 0 : class_in(combining_runs, combining_run_count, 8, point);
}

}  // namespace heed::detail
