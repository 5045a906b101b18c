// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <single_operations.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// Whether no element of rows [rows, dim] is infinite or NaN.
[[nodiscard]] inline bool all_finite(const float* values, std::ptrdiff_t row_stride, std::uint32_t rows,
                                     std::uint32_t dim) noexcept {
  // 0 times anything finite is 0; 0 times infinity or NaN is NaN, and stays in the sum.
  float found = 0.0F;
  for (std::uint32_t r = 0; r < rows; ++r, values += row_stride) {
    for (std::uint32_t d = 0; d < dim; ++d) found = port::fused(values[d], 0.0F, found);
  }
  return found == 0.0F;
}

}  // namespace heed_own_code
}  // namespace heed::detail
