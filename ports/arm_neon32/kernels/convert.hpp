// SPDX-License-Identifier: MIT
#pragma once

#include <arm_neon.h>

#include <cstdint>
#include <neon_stored_lanes.hpp>
#include <port.hpp>

namespace heed::detail {

/// Four numbers of IEEE-754 binary16. The instruction belongs to VFPv4 and takes subnormal halves as they are, but gcc
/// offers its intrinsic only under an option that clang does not know.
[[gnu::always_inline]] inline port::Register load_four_halves(const std::uint16_t* from) noexcept {
  const uint16x4_t halves = vld1_u16(from);
  float32x4_t values;
  asm("vcvt.f32.f16 %q0, %P1" : "=w"(values) : "w"(halves));
  return port::Register(values);
}

/// Sixteen numbers of IEEE-754 binary16; NaN becomes some quiet NaN.
[[gnu::always_inline]] inline port::f32x16 load_half(const std::uint16_t* from) noexcept {
  return {{{load_four_halves(from)}, {load_four_halves(from + 4)}},
          {{load_four_halves(from + 8)}, {load_four_halves(from + 12)}}};
}

}  // namespace heed::detail
