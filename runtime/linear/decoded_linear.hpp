// SPDX-License-Identifier: MIT
//
// Products with weights in few bits, once for every format, and what a format is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/quantized_tile.hpp>

#include "linear/weight_format.hpp"

namespace heed::detail {

/// Rows whose weights are decoded in registers. One row uses each weight once, which is never worth a write.
inline constexpr std::uint32_t decoded_rows = quantized_tile_rows == 0 ? 1 : quantized_tile_rows;

void multiply_decoded(const WeightFormat& format, const LinearShare& share) noexcept;

/// Numbers without scales.
template <port::f32x16 (*load_elements)(const std::uint16_t*) noexcept>
struct PlainWeights {
  [[nodiscard]] static ShortFloats<load_elements> numbers(const std::byte* weights, const std::byte* /*scales*/,
                                                          std::uint32_t /*inputs*/) noexcept {
    return {reinterpret_cast<const std::uint16_t*>(weights)};
  }
};

/// A format whose numbers are Weights::numbers(weights, scales, inputs).
template <class Weights>
[[nodiscard]] constexpr WeightFormat format_of(WeightType type) noexcept {
  return {type, multiply_decoded,
          [](const Gemm& product, const std::byte* weights, const std::byte* scales) noexcept {
            multiply_quantized(product, Weights::numbers(weights, scales, product.depth));
          },
          [](const std::byte* weights, const std::byte* scales, std::uint32_t steps, float* to) noexcept {
            decode_panel(Weights::numbers(weights, scales, steps), steps, to);
          },
          [](const std::byte* weights, const std::byte* scales, int lane, std::uint32_t inputs, float* to) noexcept {
            decode_lane(Weights::numbers(weights, scales, inputs), lane, inputs, to);
          }};
}

/// Integers of either size in groups.
template <class Integer>
struct GroupWeights {
  [[nodiscard]] static GroupsOfLanes<Integer, half_lanes> numbers(const std::byte* weights, const std::byte* scales,
                                                                  std::uint32_t inputs) noexcept {
    return {reinterpret_cast<const Integer*>(weights), reinterpret_cast<const std::uint16_t*>(scales),
            static_cast<std::ptrdiff_t>((inputs + weight_group_size - 1) / weight_group_size)};
  }
};

}  // namespace heed::detail
