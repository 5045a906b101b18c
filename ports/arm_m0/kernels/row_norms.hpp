// SPDX-License-Identifier: MIT
//
// Root mean square norms number by number, in the order of the vectors that nn/normalization.cpp has, in code for
// speed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <single_operations.hpp>

#include "../detail/squared_lanes.hpp"
#include "../detail/weighed_numbers.hpp"

namespace heed::detail {

inline constexpr bool has_row_norms = !port::takes_support;

[[nodiscard]] constexpr bool layer_norm_by_port(const float* /*input*/, std::uint32_t /*dim*/, const float* /*weight*/,
                                                const float* /*bias*/, float /*epsilon*/, float* /*output*/) noexcept {
  return false;
}

/// The sum of the squares of x [dim].
[[nodiscard]] inline float sum_of_squares(const float* x, std::uint32_t dim) noexcept {
  port::f32x16 total{};
  const std::uint32_t lanes = dim < port::lanes ? dim : port::lanes;
  const SquaredRow row{x + dim, total.lane + lanes,
                       reinterpret_cast<std::intptr_t>(x) - reinterpret_cast<std::intptr_t>(total.lane)};
  std::uint32_t i = 0;
  while (const float* const left = add_squares(x + i, total.lane + i % port::lanes, &row)) {
    i = static_cast<std::uint32_t>(left - x);
    float& lane = total.lane[i % port::lanes];
    lane = port::fused(*left, *left, lane);
    i += port::lanes;
    if (i < dim) continue;
    i = i % port::lanes + 1;
    if (i == lanes) break;
  }
  return port::sum(total);
}

/// output = input * factor * weight, [dim] each.
inline void scale_by_weights(const float* input, float factor, const float* weight, std::uint32_t dim,
                             float* output) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(factor);
  const std::int32_t exponent = port::exponent_of(bits);
  const std::uint32_t mantissa = port::mantissa_of(bits);
  const WeighedNumbers numbers{input + dim,
                               reinterpret_cast<std::intptr_t>(weight) - reinterpret_cast<std::intptr_t>(input),
                               reinterpret_cast<std::intptr_t>(output) - reinterpret_cast<std::intptr_t>(input),
                               exponent - 191,
                               mantissa >> 16,
                               bits & 255U};
  for (const float* x = input; x != numbers.end; ++x) {
    if (exponent >= 65 && exponent <= 189) x = weigh_numbers(x, &numbers);
    if (x == numbers.end) break;
    const std::ptrdiff_t i = x - input;
    output[i] = port::product(port::product(*x, factor), weight[i]);
  }
}

/// output = input / root mean square * weight.
[[nodiscard]] inline bool rms_norm_by_port(const float* input, std::uint32_t dim, const float* weight, float epsilon,
                                           float* output) noexcept {
  const float mean = port::quotient(sum_of_squares(input, dim), static_cast<float>(dim));
  scale_by_weights(input, port::quotient(1.0F, port::square_root(port::sum(mean, epsilon))), weight, dim, output);
  return true;
}

}  // namespace heed::detail
