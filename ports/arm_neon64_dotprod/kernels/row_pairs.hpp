// SPDX-License-Identifier: MIT
//
// Every two rows are joined, so that one load brings sixteen numbers of both. Those of rows of bytes lie where the
// first of the two has room, which is twice what it needs; of rows of 16 bits, the first one's room has the low bytes
// of both, and the second one's the high bytes. A last row that is alone stays as it is.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// The bytes of 32 inputs that two rows have in a plane.
struct JoinedGroup {
  TwoRegisters low;
  TwoRegisters high;

  [[gnu::always_inline]] JoinedGroup(const std::int8_t* even, const std::int8_t* odd) noexcept
      : low(joined_rows(vld1q_s8(even), vld1q_s8(odd))), high(joined_rows(vld1q_s8(even + 16), vld1q_s8(odd + 16))) {}

  [[gnu::always_inline]] void store(std::int8_t* to) const noexcept {
    vst1q_s8(to, low.first);
    vst1q_s8(to + 16, low.second);
    vst1q_s8(to + 32, high.first);
    vst1q_s8(to + 48, high.second);
  }
};

/// Rows that all are stored, `row_bytes` apart, each of `inputs` numbers.
template <DataType rows>
void join_rows(std::byte* row, std::size_t row_bytes, std::uint32_t count, std::uint32_t inputs) noexcept {
  constexpr std::size_t group_bytes = 2 * scale_group_size;
  const std::size_t groups = (inputs + scale_group_size - 1) / scale_group_size;
  for (; count >= 2; count -= 2, row += 2 * row_bytes) {
    auto* const even = reinterpret_cast<std::int8_t*>(row + row_numbers_at);
    auto* const odd = reinterpret_cast<std::int8_t*>(row + row_bytes + row_numbers_at);
    // From the last group on, whose place is not before its numbers.
    for (std::size_t group = groups; group != 0;) {
      --group;
      const std::size_t to = group * group_bytes;
      if constexpr (rows == DataType::int8) {
        const JoinedGroup bytes(even + group * scale_group_size, odd + group * scale_group_size);
        bytes.store(even + to);
      } else {
        const JoinedGroup low(even + to, odd + to);
        const JoinedGroup high(even + to + scale_group_size, odd + to + scale_group_size);
        low.store(even + to);
        high.store(odd + to);
      }
    }
  }
}

/// Likewise of rows of products with weights of a type, or of queries, whose weights are keys of int8.
template <DataType weights, DataType rows>
void join_product_rows(std::byte* row, std::size_t row_bytes, std::uint32_t count, std::uint32_t inputs) noexcept {
  join_rows<rows>(row, row_bytes, count, inputs);
}

}  // namespace heed::detail
