// SPDX-License-Identifier: MIT
//
// Rows of whole groups of 32 numbers, rounded to 8 bits one after the other: a call for each would take as much as a
// third of its numbers.
#pragma once

#include <arm_mve.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <limits>

#include "heed/format.hpp"

namespace heed::detail {

// clang-format off
#define HEED_EIGHT_TIMES(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__

/// The bits of the greatest magnitude of 32 `groups` numbers, at least one, twice: those of an infinity or of NaN are
/// 0xFF000000 or more.
[[gnu::always_inline]] inline std::uint32_t twice_greatest_bits(const float* x, std::uint32_t groups) noexcept {
  uint32x4_t greatest = vdupq_n_u32(0);
  asm volatile(
      "dls lr, %[groups]\n"
      "1:\n"
      HEED_EIGHT_TIMES("vldrw.u32 q0, [%[x]], #16\n"
                       "vshl.i32 q0, q0, #1\n"
                       "vmax.u32 %q[greatest], %q[greatest], q0\n")
      "le lr, 1b\n"
      : [x] "+r"(x), [greatest] "+w"(greatest)
      : [groups] "r"(groups)
      : "memory", "lr", "q0");
  return vmaxvq_u32(0, greatest);
}

[[gnu::always_inline]] inline void store_byte_groups(const float* x, float factor, std::uint32_t groups,
                                                     std::byte* to) noexcept {
  asm volatile(
      "dls lr, %[groups]\n"
      "1:\n"
      HEED_EIGHT_TIMES("vldrw.u32 q0, [%[x]], #16\n"
                       "vmul.f32 q0, q0, %[factor]\n"
                       "vadd.f32 q0, q0, %[shift]\n"
                       "vstrb.32 q0, [%[to]], #4\n")
      "le lr, 1b\n"
      : [x] "+r"(x), [to] "+l"(to)
      : [groups] "r"(groups), [factor] "r"(factor), [shift] "r"(12582912.0F)
      : "memory", "lr", "q0");
}

// clang-format on
#undef HEED_EIGHT_TIMES

/// What has a scale of 0 or of NaN, and only zeros.
[[gnu::noinline]] inline void store_zeros(float scale, std::uint32_t inputs, std::byte* row) noexcept {
  *reinterpret_cast<float*>(row) = scale;
  for (std::uint32_t i = 0; i < inputs; ++i) row[row_numbers_at + i] = std::byte{0};
}

/// Rounds rows [count, inputs], `stride` apart, to row_bytes each. Whether that has been done: those of 8 bits whose
/// weights have no multipliers, of whole groups and not more than a block.
template <DataType weights, DataType rows>
[[nodiscard]] bool round_all_rows(const float* x, std::ptrdiff_t stride, std::uint32_t count, std::uint32_t inputs,
                                  std::size_t row_bytes, std::byte* to) noexcept {
  if constexpr (has_loops_of_many_rows && weights == DataType::int8 && rows == DataType::int8) {
    if (inputs % scale_group_size != 0 || inputs - 1 >= row_block) return false;
    constexpr float most = most_of_rows<rows>;
    const std::uint32_t groups = inputs / scale_group_size;
    for (; count != 0; --count, x += stride, to += row_bytes) {
      const std::uint32_t bits = twice_greatest_bits(x, groups);
      const auto greatest = std::bit_cast<float>(bits >> 1);
      // From 2^-100 to what is finite.
      if (bits - 0x1B000000U >= 0xFF000000U - 0x1B000000U) {
        store_zeros(bits < 0xFF000000U ? 0.0F : std::numeric_limits<float>::quiet_NaN(), inputs, to);
        continue;
      }
      *reinterpret_cast<float*>(to) = greatest * (1.0F / most);
      store_byte_groups(x, most / greatest, groups, to + row_numbers_at);
    }
    return true;
  }
  return false;
}

}  // namespace heed::detail
