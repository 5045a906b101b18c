// SPDX-License-Identifier: MIT
//
// Rounding of floats to the numbers that a KvCache and packed weights hold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/kv_cache.hpp"

namespace heed::detail {

/// A row of elements, `step` apart: a lane of a key panel, or the channels of a value. For int4, numbers count nibbles
/// in the order of their lanes.
struct QuantizedRow {
  std::byte* data;
  std::size_t first;
  std::size_t step;

  [[nodiscard]] std::size_t number(std::size_t channel) const noexcept { return first + channel * step; }
};

/// The least float whose low `free_bits` bits are 0 and that is not below x; x is finite and not negative.
[[nodiscard]] float round_up_to_short(float x, int free_bits) noexcept;

/// Stores `dim` channels of one token and their scales; zeros in the channels from `dim` to `width`.
void store_row(DataType storage, const float* channels, std::uint32_t dim, std::uint32_t width, const QuantizedRow& row,
               const QuantizedRow& scales) noexcept;

/// store_row() of int8 and int4 in steps, for channels that come a few at a time. The scales of a row begin as zeros,
/// all its channels raise them, and then all are stored with them.
void clear_scales(DataType storage, std::uint32_t dim, const QuantizedRow& scales) noexcept;
void raise_scales(DataType storage, const float* channels, std::uint32_t first, std::uint32_t count,
                  const QuantizedRow& scales) noexcept;
void store_scaled(DataType storage, const float* channels, std::uint32_t first, std::uint32_t count,
                  const QuantizedRow& row, const QuantizedRow& scales) noexcept;

/// The same for int8 with a scale given for each channel: [dim].
void store_row_by_channel(const float* channels, const float* scales, std::uint32_t dim,
                          const QuantizedRow& row) noexcept;

}  // namespace heed::detail
