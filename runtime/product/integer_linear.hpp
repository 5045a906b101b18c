// SPDX-License-Identifier: MIT
//
// Products with rows of integers, once for every format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/row_magnitude.hpp>

#include "format/format.hpp"
#include "heed/linear.hpp"

namespace heed::detail {

void integer_linear(const Format& format, const LinearShare& share) noexcept;

/// store_row() of some types.
using StoreRow = void(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept;

/// The scale of a row whose greatest magnitude is given: 0 for one of zeros or little more, NaN for NaN.
[[nodiscard]] float rounded_scale(float greatest, float most) noexcept;

/// Rounds a row to row_bytes, with its own greatest magnitude or with a given one.
void round_row(StoreRow* stage, float most, const float* x, std::uint32_t inputs, std::size_t row_bytes, std::byte* row,
               float greatest) noexcept;
inline void round_row(StoreRow* stage, float most, const float* x, std::uint32_t inputs, std::size_t row_bytes,
                      std::byte* row) noexcept {
  round_row(stage, most, x, inputs, row_bytes, row, row_magnitude(x, inputs));
}

/// Rounds rows [rows, plan.inputs], `stride` apart, to plan.row_bytes each.
void round_rows(StoreRow* stage, float most, const LinearPlan& plan, const float* x, std::ptrdiff_t stride,
                std::uint32_t rows, std::byte* to) noexcept;

}  // namespace heed::detail
