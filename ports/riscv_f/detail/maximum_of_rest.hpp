// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// The greatest of `greatest` and of the floats up to `end`, `stride` floats apart, as signed bits.
[[nodiscard, gnu::always_inline]] inline std::int32_t maximum_of_rest(const float* first, const float* end,
                                                                      std::ptrdiff_t stride,
                                                                      std::int32_t greatest) noexcept {
#pragma GCC unroll 1
  for (; first != end; first += stride) {
    const auto bits = std::bit_cast<std::int32_t>(*first);
    greatest = greatest > bits ? greatest : bits;
  }
  return greatest;
}

}  // namespace heed::detail
