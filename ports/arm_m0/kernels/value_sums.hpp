// SPDX-License-Identifier: MIT
//
// Sums of weights and values in integers, piece of the keys after piece, and what they come to, in code for speed by
// the factor's parts.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>

#include "../detail/multiplied_sums.hpp"

namespace heed::detail {

/// Where the sums of a piece, as integers, are added to those of the pieces before it, and the last one's become
/// floats.
struct ValueSums {
  float* to;            ///< [16]; what is not of the first `count` may be anything
  std::uint32_t count;  ///< at most 16
  bool first;
  bool last;

  void add(const std::int32_t* sums, float scale) const noexcept {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::int32_t sum = first ? sums[i] : std::bit_cast<std::int32_t>(to[i]) + sums[i];
      to[i] = last && port::takes_support ? port::product(port::as_float(sum), scale) : std::bit_cast<float>(sum);
    }
    if (last && !port::takes_support) finish(scale);
  }

 private:
  void finish(float scale) const noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(scale);
    const MultipliedSums sums{to + count, static_cast<std::int32_t>(bits >> 23) + 22, port::mantissa_of(bits) >> 16,
                              bits & 255U};
    const bool in_range = bits - (64U << 23) < (125U << 23);
    for (float* sum = to; sum != sums.end; ++sum) {
      if (in_range) sum = multiply_sums(sum, &sums);
      if (sum == sums.end) break;
      *sum = port::product(static_cast<float>(std::bit_cast<std::int32_t>(*sum)), scale);
    }
  }
};

}  // namespace heed::detail
