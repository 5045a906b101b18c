// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/kernel_contract.hpp"
#include "exp2_series.hpp"

namespace heed::detail {
inline namespace heed_own_code {

#ifdef __OPTIMIZE_SIZE__
#define HEED_INLINE_FOR_SPEED [[gnu::noipa]] inline
#else
#define HEED_INLINE_FOR_SPEED [[gnu::always_inline]] inline
#endif

/// x = 2^(x - maximum) for `count` floats x that are `step` floats apart, each operation for operation as the
/// shared kernel does it; returns their sum in this order. Below the floor the result is 0 without any of it.
HEED_INLINE_FOR_SPEED float exp2_of_differences(float* x, std::ptrdiff_t step, std::uint32_t count,
                                                float maximum) noexcept {
  float total = 0.0F;
  float fraction;
  float whole;
  float power;
  std::uint32_t bits;
  asm volatile(
      "cbnz %[count], 1f\n"
      "b 4f\n"
      "3:\n"
      "vcmp.f32 %[fraction], %[fraction]\n"
      "vmrs APSR_nzcv, fpscr\n"
      "bvs 5f\n"
      "mov %[bits], #0\n"
      "vmov %[power], %[bits]\n"
      "b 2f\n"
      "1:\n"
      "vldr %[fraction], [%[x]]\n"
      "vsub.f32 %[fraction], %[fraction], %[maximum]\n"
      "vadd.f32 %[power], %[fraction], %[shift]\n"
      "vldmia %[series], {s11-s15}\n"
      "vmov %[bits], %[power]\n"
      "cmp %[bits], %[least]\n"
      "blt 3b\n"
      "5:\n"
      "vsub.f32 %[whole], %[power], %[shift]\n"
      "lsl %[bits], %[bits], #23\n"
      "vsub.f32 %[fraction], %[fraction], %[whole]\n"
      "vmov %[power], %[bits]\n" HEED_EXP2_SERIES
      "2:\n"
      "vstr %[power], [%[x]]\n"
      "vadd.f32 %[total], %[total], %[power]\n"
      "add %[x], %[step]\n"
      "subs %[count], #1\n"
      "bne 1b\n"
      "4:\n"
      : [x] "+&r"(x), [count] "+&l"(count), [bits] "=&r"(bits), [total] "+&t"(total), [fraction] "=&t"(fraction),
        [whole] "=&t"(whole), [power] "=&t"(power)
      : [step] "r"(step * std::ptrdiff_t{sizeof(float)}), [series] "r"(exp2_series + 1), [maximum] "t"(maximum),
        [least] "r"(std::bit_cast<std::int32_t>(exp2_shift + exp2_floor)), [shift] "t"(exp2_shift),
        [highest] "t"(exp2_series[0])
      : "memory", "cc", "s11", "s12", "s13", "s14", "s15");
  static_assert(exp2_terms == 6);
  return total;
}

#undef HEED_INLINE_FOR_SPEED

}  // namespace heed_own_code
}  // namespace heed::detail
