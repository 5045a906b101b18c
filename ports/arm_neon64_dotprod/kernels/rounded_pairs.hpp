// SPDX-License-Identifier: MIT
//
// Rows of bytes that are rounded two at a time, and stored as kernels/row_pairs.hpp joins them.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "heed/format.hpp"

namespace heed::detail {

template <DataType rows>
inline constexpr bool rounds_row_pairs = rows == DataType::int8;

inline constexpr bool rounds_eights = false;
void round_eight(const float* x, std::byte* row) noexcept;

/// The next sixteen numbers of two rows.
[[gnu::always_inline]] inline void store_sixteen(const float*& even, float even_factor, const float*& odd,
                                                 float odd_factor, std::int8_t*& to) noexcept {
  const int8x16_t first = low_bytes(round_sixteen(even, even_factor));
  const TwoRegisters both = joined_rows(first, low_bytes(round_sixteen<1>(odd, odd_factor)));
  vst1q_s8(to, both.first);
  vst1q_s8(to + 16, both.second);
  to += 32;
}

template <DataType rows>
void store_row_pair(const float* const (&x)[2], const float (&factors)[2], std::uint32_t inputs,
                    std::byte* row) noexcept {
  const float* even = x[0];
  const float* odd = x[1];
  const float even_factor = factors[0];
  const float odd_factor = factors[1];
  auto* to = reinterpret_cast<std::int8_t*>(row + row_numbers_at);
  for (; inputs >= scale_group_size; inputs -= scale_group_size) {
    store_sixteen(even, even_factor, odd, odd_factor, to);
    store_sixteen(even, even_factor, odd, odd_factor, to);
  }
  if (inputs == 0) return;
  float rest[2][scale_group_size]{};
  for (std::uint32_t i = 0; i < inputs; ++i) {
    rest[0][i] = even[i];
    rest[1][i] = odd[i];
  }
  even = rest[0];
  odd = rest[1];
  store_sixteen(even, even_factor, odd, odd_factor, to);
  store_sixteen(even, even_factor, odd, odd_factor, to);
}

}  // namespace heed::detail
