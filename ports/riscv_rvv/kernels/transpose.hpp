// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// Turns up to sixteen rows of `dim` floats into one panel: panel[d * 16 + r] = factor * rows[r][d], with 0 in the
/// lanes r >= count. Nothing outside the given rows is read.
inline void to_panel(const float* const* rows, std::uint32_t count, std::uint32_t dim, float factor,
                     float* panel) noexcept {
  if (count < 16) {
    for (std::size_t d = 0; d < dim; ++d) port::store(panel + d * 16, port::set(0.0F));
  }
  for (std::uint32_t r = 0; r < count; ++r) port::detail::store_column(rows[r], factor, dim, panel + r);
}

}  // namespace heed_own_code
}  // namespace heed::detail
