// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// Whether no element of rows [rows, dim] is infinite or NaN.
[[nodiscard]] inline bool all_finite(const float* values, std::ptrdiff_t row_stride, std::uint32_t rows,
                                     std::uint32_t dim) noexcept {
  using namespace port;
  // 0 times anything finite is 0; 0 times infinity or NaN is NaN, and stays in the sum.
  const f32x16 zero = set(0.0F);
  f32x16 found = zero;
  for (std::uint32_t r = 0; r < rows; ++r) {
    const float* row = values + static_cast<std::ptrdiff_t>(r) * row_stride;
    std::uint32_t d = 0;
    for (; d + lanes <= dim; d += lanes) found = fma(load(row + d), zero, found);
    if (d < dim) found = fma(load_partial(row + d, static_cast<int>(dim - d)), zero, found);
  }
  return sum(found) == 0.0F;
}

}  // namespace heed_own_code
}  // namespace heed::detail
