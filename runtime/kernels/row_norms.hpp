// SPDX-License-Identifier: MIT
//
// Norms of rows, to the bits of layer_norm_row() and rms_norm_row(), where a port has more than its vector's operations
// for them; here none has.
#pragma once

#include <cstdint>

namespace heed::detail {

/// Whether there are any.
inline constexpr bool has_row_norms = false;

/// output = (input - mean) / sqrt(mean of the squares of that + epsilon) * weight + bias, each [dim]; bias may be null,
/// and the output the input. Whether it has been done.
[[nodiscard]] constexpr bool layer_norm_by_port(const float* /*input*/, std::uint32_t /*dim*/, const float* /*weight*/,
                                                const float* /*bias*/, float /*epsilon*/, float* /*output*/) noexcept {
  return false;
}

/// Likewise output = input / sqrt(mean of its squares + epsilon) * weight.
[[nodiscard]] constexpr bool rms_norm_by_port(const float* /*input*/, std::uint32_t /*dim*/, const float* /*weight*/,
                                              float /*epsilon*/, float* /*output*/) noexcept {
  return false;
}

}  // namespace heed::detail
