// SPDX-License-Identifier: MIT
//
// A row of integers in groups of 32 inputs: what its sums start with, which takes off what is added to the weights, and
// the numbers, as bytes in order, or as pairs of 16 bits, of every four inputs (x0, x2) and (x1, x3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/integer_lanes.hpp>
#include <detail/integer_products.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The greatest magnitude of a row's integers.
template <DataType rows>
inline constexpr float most_of_rows = rows == DataType::int8 ? 127.0F : 16383.0F;

/// The scale of a row, before its numbers.
inline constexpr std::size_t row_numbers_at = 16;

/// Whether the numbers of a row are bytes.
template <DataType weights, DataType rows>
inline constexpr bool has_byte_rows = rows == DataType::int8 &&
                                      (multiplies_bytes || weights == DataType::int4_multipliers);

/// Bytes of a group, from its start on.
template <bool bytes>
inline constexpr std::size_t row_group_bytes = sizeof(std::int32_t) + std::size_t{scale_group_size} * (bytes ? 1 : 2);

/// The groups of a row, one after the other.
template <DataType weights, DataType rows>
class RowGroups {
 public:
  explicit RowGroups(std::byte* row) noexcept : to_(row + row_numbers_at) {}

  [[gnu::always_inline]] void append(const IntegerLanes& low, const IntegerLanes& high, bool last) noexcept {
    std::byte* const numbers = to_ + sizeof(std::int32_t);
    if constexpr (bytes) {
      store_bytes(numbers, low);
      store_bytes(numbers + port::lanes, high);
    } else {
      store_pairs(numbers, low);
      store_pairs(numbers + std::ptrdiff_t{port::lanes} * 2, high);
    }
    // Weights without multipliers are added up over a block, whose last group says what all of them take off.
    numbers_ = summed ? add(numbers_, add(low, high)) : add(low, high);
    if (!summed || last || ++group_ % (block_inputs / scale_group_size) == 0) {
      constexpr bool all = bytes || weights == DataType::int4_multipliers;
      constexpr std::uint32_t added = weights == DataType::int4_multipliers ? 8 : 128;
      *reinterpret_cast<std::uint32_t*>(to_) = 0U - added * static_cast<std::uint32_t>(sum_of<!all>(numbers_));
      numbers_ = IntegerLanes{};
    }
    to_ += row_group_bytes<bytes>;
  }

 private:
  static constexpr bool bytes = has_byte_rows<weights, rows>;

  static constexpr bool summed = weights == DataType::int8;

  std::byte* to_;
  std::uint32_t group_ = 0;
  IntegerLanes numbers_{};
};

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32. A row of zeros has no other bytes than
/// 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  RowGroups<weights, rows> groups(row);
  const port::f32x16 factors = port::set(factor);
  std::uint32_t left = inputs;
  for (; left >= scale_group_size; left -= scale_group_size, x += scale_group_size) {
    groups.append(rounded(port::mul(port::load(x), factors)), rounded(port::mul(port::load(x + port::lanes), factors)),
                  left == scale_group_size);
  }
  if (left == 0) return;
  const int count = static_cast<int>(left);
  const int low = count < port::lanes ? count : port::lanes;
  // Not through a pointer past the row.
  const float* const rest = x + low;
  groups.append(rounded(port::mul(port::load_partial(x, low), factors)),
                rounded(port::mul(port::load_partial(rest, count - low), factors)), true);
}

}  // namespace heed::detail
