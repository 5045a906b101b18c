// SPDX-License-Identifier: MIT
//
// Tiles of one row or two: their number is known at run time alone.
#pragma once

#include <cstddef>
#include <kernels/tile.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

[[gnu::always_inline]] inline void multiply_whole_panels(const Gemm& product, std::ptrdiff_t row, int rows,
                                                         std::ptrdiff_t panel, std::ptrdiff_t end,
                                                         bool /*long_rows*/) noexcept {
  for (; panel < end; ++panel) add_tile(product, row, panel, rows, port::lanes);
}

[[gnu::always_inline]] inline void multiply_partial_panel(const Gemm& product, std::ptrdiff_t row, int rows,
                                                          std::ptrdiff_t panel, int lanes) noexcept {
  add_tile(product, row, panel, rows, lanes);
}

}  // namespace heed::detail
