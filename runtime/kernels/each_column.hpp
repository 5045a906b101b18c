// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/transpose.hpp>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// put(k, column k) for each of the first `columns` columns, at most sixteen, of up to sixteen rows, as a vector of the
/// rows, 0 in the lanes >= count. `panel` is room for 16 x columns floats.
template <class Put>
[[gnu::always_inline]] inline void each_column(const float* const* rows, std::uint32_t count, std::uint32_t columns,
                                               float* panel, Put put) noexcept {
  to_panel(rows, count, columns, 1.0F, panel);
  for (std::uint32_t k = 0; k < columns; ++k) put(k, port::load(panel + std::size_t{k} * port::lanes));
}

}  // namespace heed_own_code
}  // namespace heed::detail
