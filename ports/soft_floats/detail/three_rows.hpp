// SPDX-License-Identifier: MIT
//
// Three rows of bytes at once: sums of a weight times a + 2^21 b, and of it times c + 2^10 b, hold all three rows' sums
// a, b, c, whichever bits are lost above 32, as long as those have 21 bits: the first one's low bits are a, what is
// left of them the low 11 bits of b, and without these the second one's low bits are c, and what is left the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// 64 * 127 * 127 < 2^20
inline constexpr std::uint32_t three_row_inputs = 64;

/// What sums of both products come to, of one output.
struct ThreeSums {
  std::uint32_t first;   ///< a + 2^21 b
  std::uint32_t second;  ///< c + 2^10 b
};

/// to [3], `apart` each from the other, becomes what a, b and c are, or more by that.
template <class Sum>
[[gnu::always_inline]] inline void take_three_sums(ThreeSums sums, bool more, Sum* to,
                                                   std::ptrdiff_t apart = panel_width) noexcept {
  const std::int32_t a = static_cast<std::int32_t>(sums.first << 11) >> 11;
  const std::uint32_t low = (sums.first - static_cast<std::uint32_t>(a)) >> 21;
  const std::uint32_t second = sums.second - (low << 10);
  const std::int32_t c = static_cast<std::int32_t>(second << 11) >> 11;
  const std::uint32_t high = second - static_cast<std::uint32_t>(c);
  const std::int32_t b = static_cast<std::int32_t>(high | low << 10) >> 10;
  to[0] = more ? to[0] + a : a;
  to[apart] = more ? to[apart] + b : b;
  to[2 * apart] = more ? to[2 * apart] + c : c;
}

/// Sums of so many outputs and at most three_row_inputs inputs of three rows of numbers, `distance` bytes apart.
using ThreeRows = void(const std::byte* weights, const std::byte* numbers, std::size_t distance, std::uint32_t inputs,
                       ThreeSums* sums) noexcept;

/// sums, of `rows` 16 apart, of the product's first three rows.
template <std::uint32_t outputs, ThreeRows* sums_of>
[[gnu::noinline]] void sums_of_three_rows(const IntegerProduct& product) noexcept {
  const std::byte* const rows =
      product.row(0) + row_numbers_at + product.first / block_inputs * run_bytes(block_inputs) + sizeof(std::int32_t);
  for (std::uint32_t output = 0; output < product.outputs; output += outputs) {
    std::int32_t* const to = product.sums + output;
    for (std::uint32_t k = 0; k < product.inputs; k += three_row_inputs) {
      const std::uint32_t left = product.inputs - k;
      ThreeSums sums[outputs];
      sums_of(product.weights + k * panel_width + output * 4, rows + k * sizeof(std::int16_t), product.row_bytes,
              left < three_row_inputs ? left : three_row_inputs, sums);
      for (std::uint32_t n = 0; n < outputs; ++n) take_three_sums(sums[n], k != 0, to + n);
    }
  }
}

}  // namespace heed::detail
