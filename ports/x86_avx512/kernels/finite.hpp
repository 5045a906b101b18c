// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// 0 times each of `count` numbers, a multiple of four vectors, summed in four chains: one would take four cycles a
/// vector. Not inline, because gcc warns of its loads where the numbers are an array that is shorter.
[[nodiscard, gnu::noinline]] inline port::f32x16 zero_times(const float* x, std::uint32_t count) noexcept {
  using namespace port;
  const f32x16 zero = set(0.0F);
  f32x16 found[4] = {zero, zero, zero, zero};
  for (std::uint32_t n = 0; n < count; n += 4 * lanes) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) found[i] = fma(load(x + n + i * lanes), zero, found[i]);
  }
  return add(add(found[0], found[1]), add(found[2], found[3]));
}

/// Whether no element of rows [rows, dim] is infinite or NaN.
[[nodiscard]] inline bool all_finite(const float* values, std::ptrdiff_t row_stride, std::uint32_t rows,
                                     std::uint32_t dim) noexcept {
  using namespace port;
  // 0 times anything finite is 0; 0 times infinity or NaN is NaN, and stays in the sum.
  const f32x16 zero = set(0.0F);
  f32x16 found = zero;
  for (std::uint32_t r = 0; r < rows; ++r) {
    const float* row = values + static_cast<std::ptrdiff_t>(r) * row_stride;
    std::uint32_t d = dim - dim % (4 * lanes);
    if (d != 0) found = add(found, zero_times(row, d));
    for (; dim - d >= lanes; d += lanes) found = fma(load(row + d), zero, found);
    if (d < dim) found = fma(load_partial(row + d, static_cast<int>(dim - d)), zero, found);
  }
  return sum(found) == 0.0F;
}

}  // namespace heed_own_code
}  // namespace heed::detail
