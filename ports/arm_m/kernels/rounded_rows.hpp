// SPDX-License-Identifier: MIT
//
// Rows of eight numbers, in code for speed: from the greatest magnitude to pairs in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <port.hpp>

#include "heed/format.hpp"

namespace heed::detail {

// clang-format off
// A jump that is seldom taken costs less than a choice.
#define HEED_COMPARE(x, there, back) "cmp r12, " x ", lsl #1\n" "blo " there "f\n" back ":\n"
#define HEED_TAKE(x, there, back) there ":\n" "lsl r12, " x ", #1\n" "b " back "b\n"
#define HEED_EACH_BUT_FIRST(OF) \
  OF("r3", "13", "3") OF("r4", "14", "4") OF("r5", "15", "5") OF("r6", "16", "6") OF("r7", "17", "7") \
  OF("r8", "18", "8") OF("r9", "19", "9")
#define HEED_EACH_NUMBER(OF) OF("s2") OF("s3") OF("s4") OF("s5") OF("s6") OF("s7") OF("s8") OF("s9")
#define HEED_TIMES_FACTOR(x) "vmul.f32 " x ", " x ", s0\n"
#define HEED_TO_INTEGER(x) "vcvtr.s32.f32 " x ", " x "\n"

/// From s0 = 127 and s1 = 1 / 127. A row whose factor and scale are 0 or NaN has numbers that are 0.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void round_eight_numbers(const float* /*x*/, std::byte* /*row*/,
                                                                      float /*most*/, float /*inverse*/) noexcept {
  asm("push {r4-r9}\n"
      "ldmia r0, {r2-r9}\n"
      "vldmia r0, {s2-s9}\n"
      "lsl r12, r2, #1\n"
      HEED_EACH_BUT_FIRST(HEED_COMPARE)
      "lsr r12, #1\n"
      "cmp r12, #0x7F800000\n"
      "bhs 10f\n"
      "1:\n"
      "vmov s10, r12\n"
      "vdiv.f32 s0, s0, s10\n"
      "vmul.f32 s1, s10, s1\n"
      "cmp r12, #0x0D800000\n"  // 2^-100
      "blo 11f\n"
      "2:\n"
      HEED_EACH_NUMBER(HEED_TIMES_FACTOR)
      HEED_EACH_NUMBER(HEED_TO_INTEGER)
      "vmov r2, r3, s2, s3\n"
      "vmov r4, r5, s4, s5\n"
      "vmov r6, r7, s6, s7\n"
      "vmov r8, r9, s8, s9\n"
      "add r12, r2, r4\n"
      "add r12, r6\n"
      "add r12, r8\n"
      "rsb r2, r3, r2, lsl #8\n"
      "pkhbt r3, r3, r5, lsl #16\n"
      "rsb r4, r5, r4, lsl #8\n"
      "pkhbt r4, r2, r4, lsl #16\n"
      "rsb r6, r7, r6, lsl #8\n"
      "pkhbt r5, r7, r9, lsl #16\n"
      "rsb r8, r9, r8, lsl #8\n"
      "pkhbt r6, r6, r8, lsl #16\n"
      "rsb r12, r12, #0\n"
      "lsl r2, r12, #15\n"
      "vstr s1, [r1]\n"
      "add r1, #16\n"
      "stmia r1, {r2-r6}\n"
      "pop {r4-r9}\n"
      "bx lr\n"
      HEED_EACH_BUT_FIRST(HEED_TAKE)
      "10:\n"
      "mvn r12, #0x80000000\n"  // NaN
      "b 1b\n"
      "11:\n"
      "mov r12, #0\n"
      "vmov s0, s1, r12, r12\n"
      "b 2b\n");
}
// clang-format on
#undef HEED_COMPARE
#undef HEED_TAKE
#undef HEED_EACH_BUT_FIRST
#undef HEED_EACH_NUMBER
#undef HEED_TIMES_FACTOR
#undef HEED_TO_INTEGER

/// Rounds up to two rows of eight numbers, for weights without multipliers; more rows are joined.
template <DataType weights, DataType rows>
[[nodiscard, gnu::always_inline]] inline bool round_all_rows(const float* x, std::ptrdiff_t stride, std::uint32_t count,
                                                             std::uint32_t inputs, std::size_t row_bytes,
                                                             std::byte* to) noexcept {
  if constexpr (port::unrolled != 1 && weights == DataType::int8 && rows == DataType::int8) {
    static_assert(row_numbers_at == 16 && row_layout<weights, rows>.shift == 15);
    constexpr float most = most_of_rows<rows>;
    if (inputs != 8 || count > 2) return false;
    for (; count != 0; --count, x += stride, to += row_bytes) round_eight_numbers(x, to, most, 1.0F / most);
    return true;
  }
  return false;
}

}  // namespace heed::detail
