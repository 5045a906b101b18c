// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace heed::test {

/// SplitMix64 (Steele, Lea and Flood 2014): the same stream on every machine, and integers only.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  /// first..last, both included.
  std::uint32_t between(std::uint32_t first, std::uint32_t last) {
    return first + static_cast<std::uint32_t>(bits() % (std::uint64_t{last} - first + 1));
  }

  /// Nearly normal with mean 0 and variance 1, bounded by 6: the sum of twelve uniform numbers. Exact arithmetic, so
  /// the same floats come out everywhere.
  float normal() {
    std::int64_t sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<std::int64_t>(bits() >> 48);
    return static_cast<float>(sum - 6 * 65536 + 6) * 0x1p-16F;
  }

  std::vector<float> normals(std::size_t count, float spread = 1.0F) {
    std::vector<float> values(count);
    for (float& value : values) value = normal() * spread;
    return values;
  }

 private:
  std::uint64_t state_;
};

}  // namespace heed::test
