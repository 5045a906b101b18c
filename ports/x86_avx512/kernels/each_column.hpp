// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/transpose.hpp>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// Sixteen columns of sixteen rows do not leave the registers.
template <class Put>
[[gnu::always_inline]] inline void each_column(const float* const* rows, std::uint32_t count, std::uint32_t columns,
                                               float* panel, Put put) noexcept {
  const auto put_column = [&](std::size_t k, __m512 column) __attribute__((always_inline)) {
    put(static_cast<std::uint32_t>(k), port::f32x16{column});
  };
  if (count == 16 && columns == 16) {
    transpose_sixteen(rows, 16, 0, 16, put_column);
    return;
  }
  to_panel(rows, count, columns, 1.0F, panel);
  for (std::uint32_t k = 0; k < columns; ++k) put(k, port::load(panel + std::size_t{k} * port::lanes));
}

}  // namespace heed_own_code
}  // namespace heed::detail
