// SPDX-License-Identifier: MIT
//
// Loads and stores of four lanes. Those of arm_mve.h may stand on the wrong side of a scalar's: gcc 12 takes them all
// for as long as one number, and moves what it reads or writes in the other three across them.
#pragma once

#include <arm_mve.h>

#include <cstdint>

namespace heed::port {
inline namespace heed_own_code {

[[gnu::always_inline]] inline float32x4_t load_quad(const float* from) noexcept {
  using Stored = float [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]];
  return *reinterpret_cast<const Stored*>(from);
}

[[gnu::always_inline]] inline void store_quad(float* to, float32x4_t lanes) noexcept {
  using Stored = float [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]];
  *reinterpret_cast<Stored*>(to) = lanes;
}

/// What the source writes and reads above this comes above it in the code, too, and above what takes `lanes` from here.
template <class Vector>
[[gnu::always_inline]] inline void settle_memory(Vector& lanes) noexcept {
  asm volatile("" : "+w"(lanes) : : "memory");
}

/// Of four numbers or addresses those that are `there`, 0 in the other lanes; nothing else is read.
template <class Number>
[[gnu::always_inline]] inline uint32x4_t load_words(const Number* from, mve_pred16_t there) noexcept {
  static_assert(sizeof(Number) == sizeof(std::uint32_t));
  asm volatile("" : "+r"(from) : : "memory");
  uint32x4_t lanes = vldrwq_z_u32(reinterpret_cast<const std::uint32_t*>(from), there);
  settle_memory(lanes);
  return lanes;
}

[[gnu::always_inline]] inline float32x4_t load_quad(const float* from, mve_pred16_t there) noexcept {
  return vreinterpretq_f32_u32(load_words(from, there));
}

/// Writes the lanes that are `there`, and nothing else.
[[gnu::always_inline]] inline void store_quad(float* to, float32x4_t lanes, mve_pred16_t there) noexcept {
  settle_memory(lanes);
  vstrwq_p_f32(to, lanes, there);
  asm volatile("" : : : "memory");
}

/// Four numbers, `Offset` bytes on, each in a lane of 32 bits.
template <int Offset = 0>
[[gnu::always_inline]] inline int32x4_t load_widened(const std::int8_t* from) noexcept {
  int32x4_t lanes;
  asm("vldrb.s32 %q0, [%1, %2]"
      : "=w"(lanes)
      : "l"(from), "i"(Offset), "m"(*reinterpret_cast<const std::int8_t(*)[Offset + 4]>(from)));
  return lanes;
}

template <int Offset = 0>
[[gnu::always_inline]] inline uint32x4_t load_widened(const std::uint8_t* from) noexcept {
  uint32x4_t lanes;
  asm("vldrb.u32 %q0, [%1, %2]"
      : "=w"(lanes)
      : "l"(from), "i"(Offset), "m"(*reinterpret_cast<const std::uint8_t(*)[Offset + 4]>(from)));
  return lanes;
}

template <int Offset = 0>
[[gnu::always_inline]] inline uint32x4_t load_widened(const std::uint16_t* from) noexcept {
  uint32x4_t lanes;
  asm("vldrh.u32 %q0, [%1, %2]"
      : "=w"(lanes)
      : "l"(from), "i"(Offset), "m"(*reinterpret_cast<const std::uint16_t(*)[Offset / 2 + 4]>(from)));
  return lanes;
}

}  // namespace heed_own_code
}  // namespace heed::port
