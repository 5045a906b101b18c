// SPDX-License-Identifier: MIT
//
// Scales and numbers as packed weights and caches have them that others made, or that were tampered with.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "firmware/data.hpp"

namespace heed::test {

/// Whether vectors compute with subnormal numbers, or take them for 0 (CMakeLists.txt says where).
#ifdef HEED_SUBNORMALS_ARE_ZERO
inline constexpr bool keeps_subnormals = false;
#else
inline constexpr bool keeps_subnormals = true;
#endif

/// Half of them as scales are, of either sign; the others 0, very great, infinite, NaN, any bits, or next to 0 where
/// vectors compute with that.
[[nodiscard]] inline float odd_scale(Numbers& random) {
  constexpr std::uint32_t next_to_nothing[] = {0x00000001U, 0x80012345U, 0x007FFFFFU, 0x80800000U};
  constexpr std::uint32_t odd[] = {0x00000000U, 0x80000000U, 0x7F7FFFFFU, 0xFF7FFFFFU,
                                   0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFFC12345U};
  const std::uint32_t any = random.bits16() << 16 | random.bits16();
  const float usual = (static_cast<float>(any >> 16) - 32768.0F) * 0x1p-22F;
  switch (random.between(0, 7)) {
    case 0:
    case 1: return std::bit_cast<float>(odd[any >> 16 & 7]);
    case 2: return keeps_subnormals ? std::bit_cast<float>(next_to_nothing[any >> 16 & 3]) : usual;
    case 3: return std::bit_cast<float>(keeps_subnormals ? any : any | 0x3F000000U);
    default: return usual;
  }
}

/// A share of them, one of `every`.
inline void spoil(Numbers& random, std::span<float> scales, std::uint32_t every) {
  for (float& scale : scales) {
    if (random.bits16() % every == 0) scale = odd_scale(random);
  }
}

}  // namespace heed::test
