// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/gemm.hpp"
#include "heed/linear.hpp"
#include "linear/linear.hpp"

namespace heed {

/// What reads one type of weights. Weights and scales are given from the first panel that is used, and from the first
/// input, a multiple of detail::staged_inputs.
struct WeightFormat {
  WeightType type;

  /// Multiplies a share: detail::multiply_decoded, which a program reaches through formats alone.
  void (*multiply)(const WeightFormat& format, const detail::LinearShare& share) noexcept;

  /// C = start + A B of at most detail::decoded_rows rows in panels of product.depth inputs, decoded in registers;
  /// product.b is not read, the inputs of a row and the panels of C lie side by side, and C has room for whole panels.
  void (*multiply_rows)(const detail::Gemm& product, const std::byte* weights, const std::byte* scales) noexcept;

  /// Floats [steps, 16] of one panel, from one input on.
  void (*decode)(const std::byte* weights, const std::byte* scales, std::uint32_t steps, float* to) noexcept;

  /// Floats [inputs] of one lane of a panel.
  void (*decode_lane)(const std::byte* weights, const std::byte* scales, int lane, std::uint32_t inputs,
                      float* to) noexcept;
};

namespace detail {

/// Whether a format is the one that reads weights of a type.
[[nodiscard]] inline bool reads(const WeightFormat* format, WeightType type) noexcept {
  return format == nullptr ? type == WeightType::float32 : format->type == type;
}

}  // namespace detail
}  // namespace heed
