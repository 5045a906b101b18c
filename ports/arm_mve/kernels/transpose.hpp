// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// Turns up to sixteen rows of `dim` floats into one panel: panel[d * 16 + r] = factor * rows[r][d], with 0 in the
/// lanes r >= count. Nothing outside the given rows is read.
inline void to_panel(const float* const* rows, std::uint32_t count, std::uint32_t dim, float factor,
                     float* panel) noexcept {
  static_assert(sizeof(rows[0]) == sizeof(std::uint32_t));
  for (std::uint32_t r = 0; r < port::lanes; r += 4, panel += 4) {
    const std::uint32_t left = count > r ? count - r : 0;
    const mve_pred16_t there = vctp32q(left);
    // Four addresses, which a load takes as they are. One that also moves them does so before it reads; the compiler's
    // own form of it loads twice.
    uint32x4_t from = port::load_words(rows + r, there);
    float* to = panel;
    if (left >= 4) {
      from = vsubq_n_u32(from, 4);
      for (std::uint32_t d = 0; d < dim; ++d, to += port::lanes) {
        float32x4_t column;
        asm volatile("vldrw.u32 %q0, [%q1, #4]!" : "=&w"(column), "+w"(from) : : "memory");
        port::store_quad(to, vmulq_n_f32(column, factor));
      }
    } else {
      for (std::uint32_t d = 0; d < dim; ++d, to += port::lanes) {
        port::store_quad(to, vmulq_n_f32(vldrwq_gather_base_z_f32(from, 0, there), factor));
        from = vaddq_n_u32(from, 4);
      }
    }
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
