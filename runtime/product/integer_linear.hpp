// SPDX-License-Identifier: MIT
//
// Products with rows of integers, once for every format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/format.hpp"
#include "heed/linear.hpp"

namespace heed::detail {

void integer_linear(const Format& format, const LinearShare& share) noexcept;

/// Rounds rows with store_row() of a format: [rows, plan.inputs], `stride` apart, to plan.row_bytes each.
using StoreRow = void(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept;
void round_rows(StoreRow* store, float most, const LinearPlan& plan, const float* x, std::ptrdiff_t stride,
                std::uint32_t rows, std::byte* to) noexcept;

}  // namespace heed::detail
