// SPDX-License-Identifier: MIT
//
// How packed weights lie whose rows are integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/linear.hpp"
#include "product/pack_linear.hpp"

namespace heed::detail {

/// The number of one input of an output.
inline void put_number(const LinearPlan& plan, std::byte* packed, std::uint32_t output, std::uint32_t input,
                       std::int32_t q) noexcept {
  const StoredRow row = linear_row(plan, packed, output);
  if (plan.type == DataType::int4_multipliers) {
    std::byte& pair = row.numbers[std::size_t{input / 8} * 64 + row.first * 4 + input % 4];
    const auto nibble = static_cast<std::byte>(q + 8);
    pair = input % 8 < 4 ? (pair & std::byte{0xF0}) | nibble : (pair & std::byte{0x0F}) | (nibble << 4);
  } else {
    std::byte& number = row.numbers[std::size_t{input / 4} * 64 + row.first * 4 + input % 4];
    number = static_cast<std::byte>(input % 2 == 0 ? q + 128 : q);
  }
}

/// The multiplier of one group of an output; its scale is that of linear_row().
inline void put_multiplier(const LinearPlan& plan, std::byte* packed, std::uint32_t output, std::uint32_t group,
                           std::int32_t multiplier) noexcept {
  const StoredRow row = linear_row(plan, packed, output);
  std::byte* const multipliers = row.scales + panel_width * sizeof(float);
  multipliers[std::size_t{group} * panel_width + row.first] = static_cast<std::byte>(multiplier);
}

/// q = 0, and 0 for scales and multipliers, everywhere.
void clear_integers(const LinearPlan& plan, std::byte* packed) noexcept;

/// Writes a matrix [outputs, inputs] without its bias.
void pack_for_integer_rows(const LinearPlan& plan, const float* weight, std::byte* packed) noexcept;

}  // namespace heed::detail
