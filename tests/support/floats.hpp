// SPDX-License-Identifier: MIT
//
// What sweeps over every float are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <port.hpp>

#include "support/subnormals.hpp"

namespace heed::test {

inline constexpr std::uint32_t sign_bit = 0x80000000U;
inline constexpr std::uint32_t infinity_bits = 0x7F800000U;
inline constexpr std::uint32_t nan_bits[] = {0x7FC00000U, 0x7F800001U, 0xFFC00001U, 0xFFFFFFFFU};

inline float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The distance from `exact` in units of the last place of its binade.
inline double units_off(float y, double exact) {
  std::uint64_t bits;
  std::memcpy(&bits, &exact, sizeof exact);
  bits = std::max(bits & 0x7FF0000000000000U, std::uint64_t{1023 - 126} << 52) - (std::uint64_t{23} << 52);
  double unit;
  std::memcpy(&unit, &bits, sizeof unit);
  return std::abs(y - exact) / unit;
}

/// The worst of a sweep, and where.
struct Worst {
  double off = 0;
  float at = 0;
  void add(double error, float x) {
    if (error > off || error != error) *this = {error, x};
  }
};

}  // namespace heed::test
