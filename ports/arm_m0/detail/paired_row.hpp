// SPDX-License-Identifier: MIT
//
// A row of bytes for products of two of its numbers in one multiplication: v + 2^16 w times y + 2^16 x has v x + w y
// from bit 16 on, where nothing is negative and those sums are below 2^16. The bits of a weight are flipped where its
// number is negative, so that none is; with their bias, weights are below 2^8, and what four numbers' magnitudes come
// to is at most 257. A word of flipped weights is E + 2^8 O, which have two of them each, and O + 2^8 E with its bytes
// swapped: these times numbers that E x + O y follows from take no masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// The numbers that a word of weights meets.
struct PairedNumbers {
  std::uint32_t step;  ///< bytes from the 24th after the word before, or all bits after the last one
  std::uint32_t word;  ///< meets the word
  std::uint32_t swapped;
  std::uint32_t flips;  ///< bits of the word
};

/// A number that is too great beside the others of its word.
struct SingleNumber {
  std::uint32_t step;  ///< bytes from the weight before, or all bits after the last one
  std::int32_t number;
};

/// What has been made of a row.
struct PairedSoFar {
  SingleNumber* single;
  const SingleNumber* last_single;
  std::uint32_t single_at;  ///< bytes from the first weight
  std::int32_t start;       ///< takes the bias of all weights off
};

/// Magnitudes of two numbers, and which are negative: all bits of a half.
struct NumberPair {
  std::uint32_t magnitudes;
  std::uint32_t negative;

  /// Of two numbers of 16 bits.
  [[gnu::always_inline]] explicit NumberPair(std::uint32_t numbers) noexcept {
    const std::uint32_t signs = numbers >> 15 & 0x00010001U;
    negative = (signs << 16) - signs;
    magnitudes = (numbers ^ negative) + signs;
  }
  [[nodiscard]] std::uint32_t low() const noexcept { return magnitudes & 0xFFFFU; }
  [[nodiscard]] std::uint32_t high() const noexcept { return magnitudes >> 16; }
};

/// The greater number of a pair, or both, becomes 0 here and single there, until what is left and `rest` are at most
/// 257; false where there is no room. `at`: bytes from the first weight to the pair's.
[[nodiscard, gnu::noinline]] inline bool take_singles(NumberPair& pair, std::uint32_t rest, std::uint32_t at,
                                                      PairedSoFar& row) noexcept {
  const std::uint32_t low = pair.low();
  const std::uint32_t high = pair.high();
  const bool both = (low < high ? low : high) + rest > 257;
  const auto take = [&row](std::uint32_t magnitude, bool negative, std::uint32_t weight_at) noexcept {
    if (row.single == row.last_single) return false;
    const auto number = negative ? -static_cast<std::int32_t>(magnitude) : static_cast<std::int32_t>(magnitude);
    *row.single++ = {weight_at - row.single_at, number};
    row.single_at = weight_at;
    row.start -= 128 * number;
    return true;
  };
  if (both || low >= high) {
    if (!take(low, (pair.negative & 1U) != 0, at)) return false;
    pair.magnitudes -= low;
  }
  if (both || low < high) {
    if (!take(high, pair.negative >> 31 != 0, at + 2)) return false;
    pair.magnitudes -= high << 16;
  }
  return true;
}

/// Prepares numbers [inputs], whose start is a multiple of 4 bytes; whether there is room. to [inputs / 4 + 1].
[[nodiscard, gnu::noinline]] inline bool pair_numbers(const std::byte* numbers, std::uint32_t inputs, PairedNumbers* to,
                                                      PairedSoFar& row) noexcept {
  using Word [[gnu::may_alias]] = std::uint32_t;
  const auto* x = reinterpret_cast<const Word*>(numbers);
  const Word* const end = x + inputs / 2;
  std::uint32_t step = 0;
  std::uint32_t magnitudes = 0;
  std::uint32_t negative = 0;
  for (; x != end; x += 2, step += 64) {
    const std::uint32_t first = x[0];
    const std::uint32_t second = x[1];
    NumberPair even(first << 16 >> 16 | second << 16);
    const NumberPair odd(first >> 16 | second >> 16 << 16);
    std::uint32_t all = even.magnitudes + odd.magnitudes;
    if (all == 0) continue;
    if ((all >> 16) + (all & 0xFFFFU) > 257) {
      const auto at = static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(x) - numbers) * 8;
      if (!take_singles(even, odd.low() + odd.high(), at, row)) return false;
      all = even.magnitudes + odd.magnitudes;
    }
    magnitudes += all;
    negative += (even.magnitudes & even.negative) + (odd.magnitudes & odd.negative);
    // E y + O z = (E + 2^8 O) (y - 2^8 d) + (O + 2^8 E) d where d (1 - 2^16) = z - 2^8 y.
    const std::uint32_t y = even.magnitudes << 16 | even.magnitudes >> 16;
    const std::uint32_t z = odd.magnitudes << 16 | odd.magnitudes >> 16;
    const std::uint32_t difference = z - (y << 8);
    const std::uint32_t swapped = difference + (difference << 16);
    const std::uint32_t even_flips = even.negative & 0x00FF00FFU;
    const std::uint32_t odd_flips = (odd.negative & 0x00FF00FFU) ^ 0x00800080U;
    *to++ = {step, y - (swapped << 8), swapped, even_flips | odd_flips << 8};
    step = 64 - 24 - 64;
  }
  to->step = ~0U;
  row.single->step = ~0U;
  magnitudes = (magnitudes & 0xFFFFU) + (magnitudes >> 16);
  negative = (negative & 0xFFFFU) + (negative >> 16);
  row.start -= static_cast<std::int32_t>(magnitudes * 128 - negative);
  return true;
}

}  // namespace heed::detail
