// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

namespace heed::test {

/// FNV-1a over the bits; every NaN counts as the same one.
class Hash {
 public:
  void add(std::span<const float> values) {
    for (const float value : values) {
      std::uint32_t bits = 0x7FC00000U;
      if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof bits);
      for (int shift = 0; shift < 32; shift += 8) state_ = (state_ ^ ((bits >> shift) & 0xFFU)) * 0x100000001B3U;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

}  // namespace heed::test
