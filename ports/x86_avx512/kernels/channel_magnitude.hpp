// SPDX-License-Identifier: MIT
//
// The greatest magnitude of channels that are to be stored.
#pragma once

#include <cstdint>
#include <kernels/row_magnitude.hpp>

namespace heed::detail {

/// Of some channels, or NaN if one of them is infinite or NaN.
[[nodiscard]] inline float greatest_magnitude(const float* channels, std::uint32_t count) noexcept {
  return row_magnitude(channels, count);
}

}  // namespace heed::detail
