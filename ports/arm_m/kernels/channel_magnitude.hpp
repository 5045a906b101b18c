// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <kernels/row_magnitude.hpp>

namespace heed::detail {

/// The greatest magnitude of some channels, or NaN if one of them is infinite or NaN: that of a row.
[[nodiscard]] inline float greatest_magnitude(const float* channels, std::uint32_t count) noexcept {
  return row_magnitude(channels, count);
}

}  // namespace heed::detail
