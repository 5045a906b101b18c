// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heed::detail {
inline namespace heed_own_code {

/// Whether no element of rows [rows, dim] is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard]] inline bool all_finite(const float* values, std::ptrdiff_t row_stride, std::uint32_t rows,
                                     std::uint32_t dim) noexcept {
  for (; rows != 0; --rows, values += row_stride) {
    for (std::uint32_t d = 0; d < dim; ++d) {
      if (std::bit_cast<std::uint32_t>(values[d]) << 1 >= 0xFF000000U) return false;
    }
  }
  return true;
}

}  // namespace heed_own_code
}  // namespace heed::detail
