// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "common/kernel_contract.hpp"
#include "exp2_series.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// 2^x of one number that is exp2_floor at least, or NaN, operation for operation as the shared kernel does it.
[[gnu::always_inline]] inline float exp2_above_floor(float x) noexcept {
  float fraction;
  float power;
  std::uint32_t bits;
  asm("vadd.f32 %[power], %[x], %[shift]\n"
      "vldmia %[series], {s11-s15}\n"
      "vmov %[bits], %[power]\n"
      "vsub.f32 %[fraction], %[power], %[shift]\n"
      "lsl %[bits], %[bits], #23\n"
      "vsub.f32 %[fraction], %[x], %[fraction]\n"
      "vmov %[power], %[bits]\n" HEED_EXP2_SERIES
      : [power] "=&t"(power), [fraction] "=&t"(fraction), [bits] "=&r"(bits)
      : [x] "t"(x), [shift] "t"(exp2_shift), [highest] "t"(exp2_series[0]), [series] "r"(exp2_series + 1),
        "m"(exp2_series)
      : "s11", "s12", "s13", "s14", "s15");
  return power;
}

}  // namespace heed_own_code
}  // namespace heed::detail
