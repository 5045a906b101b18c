// SPDX-License-Identifier: MIT
//
// Memory for products of integers, and weights in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_sums.hpp>
#include <span>

#include "firmware/data.hpp"
#include "heed/types.hpp"
#include "ports/steps.hpp"

namespace port_check {

constexpr std::uint32_t most_rows = 19;
constexpr std::uint32_t most_inputs = 1024 + 264;
constexpr std::uint32_t most_groups = (most_inputs + 31) / 32;
constexpr std::size_t row_bytes = (16 + std::size_t{most_groups} * 68 + 63) / 64 * 64;

/// Rows of a whole product, of as many inputs and outputs.
constexpr std::uint32_t most_product_rows = 37;
constexpr std::uint32_t most_product_inputs = 320;
constexpr std::uint32_t y_row = 48;
constexpr std::size_t product_row_bytes = 16 + most_product_inputs * 2 + 48;
static_assert(most_product_rows * product_row_bytes <= most_rows * row_bytes);

struct IntegerRoom {
  alignas(64) std::byte weights[std::size_t{most_inputs} * 16];
  alignas(64) std::byte rows[row_bytes * most_rows];
  std::int8_t multipliers[std::size_t{most_groups} * 16];
  float x[most_inputs];
  std::int32_t sums[most_rows * 16 + 1];
  float y[most_product_rows * y_row];
};

/// One for both copies of the files that include this, which run in turn: boards have not the memory for two.
inline IntegerRoom integer_room;

}  // namespace port_check

namespace heed::test {

[[nodiscard]] inline port_check::IntegerRoom& room() {
  return *port_check::hidden(&port_check::integer_room);
}

/// Random numbers, or one of four kinds of the greatest; a fifth has multipliers beyond those of packed weights, with
/// which sums wrap around.
template <DataType weights>
void fill_weights(Numbers& random, std::uint32_t kind) {
  std::size_t i = 0;
  for (std::byte& byte : room().weights) {
    std::uint32_t bits = random.bits16();
    const bool negative = kind == 2 || (kind == 3 && i % 2 == 1);
    if constexpr (weights == DataType::int4_multipliers) {
      if (kind != 0) bits = negative ? 0x00 : 0xFF;
    } else {
      const auto q = kind == 0 ? static_cast<int>(bits % 255) - 127 : negative ? -127 : 127;
      bits = static_cast<std::uint32_t>(i % 2 == 0 ? q + 128 : q);
    }
    byte = static_cast<std::byte>(bits);
    ++i;
  }
  for (std::int8_t& multiplier : room().multipliers) {
    multiplier = static_cast<std::int8_t>(kind == 0   ? static_cast<int>(random.bits16() % 127) - 63
                                          : kind == 2 ? -63
                                          : kind == 5 ? -128
                                                      : 63);
  }
}

/// Any bits, as tampered weights have them: -128 and multipliers beyond 63 among them. Of the weights the first
/// `count`.
inline void fill_any_bits(Numbers& random, std::size_t count = sizeof port_check::IntegerRoom::weights) {
  for (std::byte& byte : std::span(room().weights).first(count)) byte = static_cast<std::byte>(random.bits16());
  for (std::int8_t& multiplier : room().multipliers) multiplier = static_cast<std::int8_t>(random.bits16());
}

/// Sums of rows of whole products, `count` from `first` on, and the sixteen outputs of a panel, to room().sums.
template <DataType weights, DataType rows>
void sum_panel(std::uint32_t first, std::uint32_t count, const std::byte* panel, const std::int8_t* multipliers,
               std::uint32_t inputs) {
  detail::integer_sums<weights, rows>({.weights = panel,
                                       .multipliers = multipliers,
                                       .first_row = room().rows + first * port_check::product_row_bytes,
                                       .row_bytes = port_check::product_row_bytes,
                                       .rows = count,
                                       .first = 0,
                                       .inputs = inputs,
                                       .sums = room().sums});
}

}  // namespace heed::test
