// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/add_row.hpp>

#include "product/row_shares.hpp"

namespace heed::detail {

/// to += from, of rows [count, dim], by several workers.
inline void add_rows(const float* from, std::uint32_t count, std::uint32_t dim, float* to, const Executor& executor,
                     std::uint32_t workers) noexcept {
  for_row_shares(executor, workers, count, [&](std::uint32_t, std::uint32_t first, std::uint32_t rows) noexcept {
    const std::size_t begin = std::size_t{first} * dim;
    add_row(from + begin, rows * std::size_t{dim}, to + begin);
  });
}

}  // namespace heed::detail
