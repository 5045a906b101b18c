// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {
inline namespace heed_own_code {

/// Turns up to sixteen rows of `dim` floats into one panel: panel[d * 16 + r] = factor * rows[r][d], with 0 in the
/// lanes r >= count. Nothing outside the given rows is read.
inline void to_panel(const float* const* rows, std::uint32_t count, std::uint32_t dim, float factor,
                     float* panel) noexcept {
  for (std::uint32_t d = 0; d < dim; ++d) {
    for (std::uint32_t r = 0; r < 16; ++r) panel[std::size_t{d} * 16 + r] = r < count ? factor * rows[r][d] : 0.0F;
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
