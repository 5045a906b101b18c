// SPDX-License-Identifier: MIT
//
// Data and hashes of the firmware check: integers and exact conversions only, so that every machine makes the same.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/attention.hpp"

namespace heed::test {

/// In the order of the computation.
inline constexpr ScoreStage score_stages[] = {ScoreStage::raw, ScoreStage::softcapped, ScoreStage::masked,
                                              ScoreStage::weights};

/// A linear congruential generator (Numerical Recipes' constants), of which the upper half is used.
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : state_(seed * 2654435761U + 12345U) {}

  std::uint32_t bits16() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ >> 16;
  }

  /// first..last, both included.
  std::uint32_t between(std::uint32_t first, std::uint32_t last) { return first + bits16() % (last - first + 1); }

  /// Uniform on [-spread, spread), in steps of spread / 2^15. Exact where spread is a power of two.
  void fill(std::span<float> values, float spread) {
    for (float& value : values) value = static_cast<float>(static_cast<int>(bits16()) - 32768) * 0x1p-15F * spread;
  }

 private:
  std::uint32_t state_;
};

/// FNV-1a over the bits; every NaN counts as the same one.
class Hash {
 public:
  void add(float value) {
    const std::uint32_t bits = value == value ? std::bit_cast<std::uint32_t>(value) : 0x7FC00000U;
    for (int shift = 0; shift < 32; shift += 8) state_ = (state_ ^ ((bits >> shift) & 0xFFU)) * 0x100000001B3U;
  }
  void add(std::span<const float> values) {
    for (const float value : values) add(value);
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

/// Parts of one static pool, taken one after the other.
template <class Element>
class Pool {
 public:
  explicit Pool(std::span<Element> elements) : left_(elements) {}

  /// An empty span if the pool is too small.
  std::span<Element> take(std::size_t count) {
    if (count > left_.size()) return {};
    const std::span<Element> taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

 private:
  std::span<Element> left_;
};

}  // namespace heed::test
