// SPDX-License-Identifier: MIT
//
// A row of integers in order, 16 bits each, in runs: of each run, what takes the bias of its weights off, and then its
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// The greatest magnitude of a row's integers.
template <DataType rows>
inline constexpr float most_of_rows = rows == DataType::int8 ? 127.0F : 16383.0F;

/// The scale of a row, before its numbers.
inline constexpr std::size_t row_numbers_at = 16;

/// Inputs of a run: those of one multiplier, or all of a block.
template <DataType weights>
inline constexpr std::uint32_t run_inputs = weights == DataType::int8 ? 1024 : scale_group_size;

constexpr std::size_t run_bytes(std::uint32_t inputs) noexcept {
  return sizeof(std::int32_t) + inputs * sizeof(std::int16_t);
}

}  // namespace heed::detail
