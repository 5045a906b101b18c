// SPDX-License-Identifier: MIT
//
// Rotation of pairs of columns, four at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "../detail/quad_memory.hpp"

namespace heed::detail {

/// Pair i is x[i * step] and y[i * step].
template <class Float>
struct Pairs {
  Float* x;
  Float* y;
  std::ptrdiff_t step;
};

/// to.x = from.x * cosine - from.y * sine and to.y = from.y * cosine + from.x * sine, every operation rounded, for
/// `count` pairs, 1..16. to is from, or apart from it.
inline void rotate_pairs(const Pairs<const float>& from, const float* cosines, const float* sines, std::uint32_t count,
                         const Pairs<float>& to) noexcept {
  const uint32x4_t numbers = vidupq_n_u32(0, 1);
  const uint32x4_t read = vmulq_n_u32(numbers, static_cast<std::uint32_t>(from.step));
  const uint32x4_t written = vmulq_n_u32(numbers, static_cast<std::uint32_t>(to.step));
  const float* from_x = from.x;
  const float* from_y = from.y;
  float* to_x = to.x;
  float* to_y = to.y;
  asm volatile("" : : : "memory");
  for (;;) {
    const mve_pred16_t there = vctp32q(count);
    float32x4_t x = vldrwq_gather_shifted_offset_z_f32(from_x, read, there);
    float32x4_t y = vldrwq_gather_shifted_offset_z_f32(from_y, read, there);
    port::settle_memory(x);
    port::settle_memory(y);
    const float32x4_t cosine = port::load_quad(cosines, there);
    const float32x4_t sine = port::load_quad(sines, there);
    float32x4_t turned_x = vsubq_f32(vmulq_f32(x, cosine), vmulq_f32(y, sine));
    float32x4_t turned_y = vaddq_f32(vmulq_f32(y, cosine), vmulq_f32(x, sine));
    port::settle_memory(turned_x);
    port::settle_memory(turned_y);
    vstrwq_scatter_shifted_offset_p_f32(to_x, written, turned_x, there);
    vstrwq_scatter_shifted_offset_p_f32(to_y, written, turned_y, there);
    asm volatile("" : : : "memory");
    if (count <= 4) return;
    count -= 4;
    from_x += 4 * from.step;
    from_y += 4 * from.step;
    to_x += 4 * to.step;
    to_y += 4 * to.step;
    cosines += 4;
    sines += 4;
  }
}

}  // namespace heed::detail
