// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// Whether a port has norms of its own, to the bits of layer_norm_row() and rms_norm_row(): one that gains nothing by
/// vectors.
inline constexpr bool norms_by_numbers = false;

void layer_norm_by_numbers(const float* input, std::uint32_t dim, const float* weight, const float* bias, float epsilon,
                           float* output) noexcept;
void rms_norm_by_numbers(const float* input, std::uint32_t dim, const float* weight, float epsilon,
                         float* output) noexcept;

}  // namespace heed::detail
