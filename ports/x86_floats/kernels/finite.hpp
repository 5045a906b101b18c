// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// As the shared header says, in four chains, which wait less for one another. Inlined where the numbers are an array
/// of known size, gcc 12 warns of a long row that would not fit into it.
[[nodiscard, gnu::noinline]] inline bool all_finite(const float* values, std::ptrdiff_t row_stride, std::uint32_t rows,
                                                    std::uint32_t dim) noexcept {
  using namespace port;
  const f32x16 zero = set(0.0F);
  f32x16 found[4] = {zero, zero, zero, zero};
  for (std::uint32_t r = 0; r < rows; ++r) {
    const float* row = values + static_cast<std::ptrdiff_t>(r) * row_stride;
    std::uint32_t d = 0;
    for (; d + 4 * lanes <= dim; d += 4 * lanes) {
#pragma GCC unroll 4
      for (std::uint32_t i = 0; i < 4; ++i) found[i] = fma(load(row + d + i * lanes), zero, found[i]);
    }
    for (; d + lanes <= dim; d += lanes) found[0] = fma(load(row + d), zero, found[0]);
    if (d < dim) found[1] = fma(load_partial(row + d, static_cast<int>(dim - d)), zero, found[1]);
  }
  return sum(add(add(found[0], found[1]), add(found[2], found[3]))) == 0.0F;
}

}  // namespace heed_own_code
}  // namespace heed::detail
