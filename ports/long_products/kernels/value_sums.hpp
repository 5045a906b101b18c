// SPDX-License-Identifier: MIT
//
// Sums of weights and values in integers, piece of the keys after piece, and what they come to, in integers to the last
// step.
#pragma once

#include <bit>
#include <cstdint>
#include <long_products/top_products.hpp>
#include <port.hpp>

namespace heed::detail {

/// Where the sums of a piece, as integers, are added to those of the pieces before it, and the last one's become
/// floats.
struct ValueSums {
  float* to;            ///< [16]; what is not of the first `count` may be anything
  std::uint32_t count;  ///< at most 16
  bool first;
  bool last;

  void add(const std::int32_t* sums, float scale) const noexcept {
    const port::RowScale row = port::row_scale_of(scale);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::int32_t sum = first ? sums[i] : std::bit_cast<std::int32_t>(to[i]) + sums[i];
      to[i] = last ? port::multiplied_sum<port::integer_unit>(sum, row) : std::bit_cast<float>(sum);
    }
  }
};

}  // namespace heed::detail
