// SPDX-License-Identifier: MIT
#pragma once

#include <arm_neon.h>

#include <cstdint>
#include <neon_stored_lanes.hpp>
#include <port.hpp>

namespace heed::detail {

/// Four numbers of IEEE-754 binary16.
[[gnu::always_inline]] inline port::Register load_four_halves(const std::uint16_t* from) noexcept {
  return port::Register(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))));
}

/// Sixteen numbers of IEEE-754 binary16; NaN becomes some quiet NaN.
[[gnu::always_inline]] inline port::f32x16 load_half(const std::uint16_t* from) noexcept {
  return {{{load_four_halves(from)}, {load_four_halves(from + 4)}},
          {{load_four_halves(from + 8)}, {load_four_halves(from + 12)}}};
}

}  // namespace heed::detail
