// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// Whether no element of rows [rows, dim] is infinite or NaN. In four chains: one would take four cycles an element.
[[nodiscard]] inline bool all_finite(const float* values, std::ptrdiff_t row_stride, std::uint32_t rows,
                                     std::uint32_t dim) noexcept {
  using namespace port;
  // 0 times anything finite is 0; 0 times infinity or NaN is NaN, and stays in the sum.
  const f32x16 zero = set(0.0F);
  f32x16 found[4] = {zero, zero, zero, zero};
  for (std::uint32_t r = 0; r < rows; ++r) {
    const float* row = values + static_cast<std::ptrdiff_t>(r) * row_stride;
    std::uint32_t d = 0;
    for (; d + 4 * lanes <= dim; d += 4 * lanes) {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) found[i] = fma(load(row + d + i * lanes), zero, found[i]);
    }
    for (; d + lanes <= dim; d += lanes) found[0] = fma(load(row + d), zero, found[0]);
    if (d < dim) found[0] = fma(load_partial(row + d, static_cast<int>(dim - d)), zero, found[0]);
  }
  return sum(add(add(found[0], found[1]), add(found[2], found[3]))) == 0.0F;
}

}  // namespace heed_own_code
}  // namespace heed::detail
