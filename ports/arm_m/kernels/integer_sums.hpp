// SPDX-License-Identifier: MIT
//
// Sums of products of integers in runs: of int8 weights a panel at a time, of others by groups, or four at a time for
// two rows and in code for size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <port.hpp>

#include "../detail/integer_group_tiles.hpp"
#include "../detail/integer_tiles.hpp"
#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 2;

/// How two types are multiplied.
struct IntegerTiles {
  IntegerTile* one_row;   ///< and four outputs
  IntegerTile* two_rows;  ///< and two outputs; null: rows go one by one
  std::uint32_t run_inputs;
  std::uint32_t input_bytes;  ///< of weights of sixteen outputs
  std::uint32_t shift;        ///< of a run's sum
  std::int32_t half;          ///< before it
};

template <DataType weights, DataType rows>
[[nodiscard]] constexpr IntegerTiles integer_tiles() noexcept {
  constexpr int shift = group_shift<weights, rows>;
  constexpr std::uint32_t run = run_inputs<weights, rows>;
  if (weights == DataType::int4_multipliers) {
    return {four_of_nibbles, nullptr, run, panel_width / 2, shift, (1 << shift) / 2};
  }
  if (raw_words<weights, rows>) return {four_of_raw_words, two_by_two_of_raw_words, run, panel_width, 8, 0};
  return {four_of_bytes, two_by_two_of_bytes, run, panel_width, shift, (1 << shift) / 2};
}

/// Four sums of all runs, of `columns` outputs from the first on.
[[gnu::always_inline]] inline void integer_tile(const IntegerProduct& product, const IntegerTiles& with,
                                                IntegerTile* tile, std::uint32_t first_row, std::uint32_t first,
                                                std::uint32_t columns) noexcept {
  const bool multiplied = with.run_inputs == scale_group_size;
  std::int32_t sums[4]{};
  const std::byte* weights = product.weights + first * 4;
  const std::byte* x =
      product.row(first_row) + row_numbers_at + product.first / with.run_inputs * run_bytes(with.run_inputs);
  const std::int8_t* multipliers = product.multipliers + first;
  for (std::uint32_t left = product.inputs; left != 0;) {
    const std::uint32_t count = left < with.run_inputs ? left : with.run_inputs;
    std::int32_t run[4];
    tile(weights, x, count / 8, run, product.row_bytes);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::int32_t sum = (run[i] + with.half) >> with.shift;
      sums[i] += multiplied ? sum * multipliers[i & (columns - 1)] : sum;
    }
    multipliers += panel_width;
    weights += count * with.input_bytes;
    x += run_bytes(with.run_inputs);
    left -= count;
  }
  std::int32_t* const to = product.sums + first_row * panel_width + first;
  for (std::uint32_t i = 0; i < 4; ++i) to[i < columns ? i : i - columns + panel_width] = sums[i];
}

[[gnu::always_inline]] inline void add_integer_tiles(const IntegerProduct& product, const IntegerTiles& with) noexcept {
  if (with.two_rows != nullptr && product.rows == 2) {
    for (std::uint32_t first = 0; first < panel_width; first += 2) {
      integer_tile(product, with, with.two_rows, 0, first, 2);
    }
    return;
  }
  for (std::uint32_t row = 0; row < product.rows; ++row) {
    for (std::uint32_t first = 0; first < panel_width; first += 4) {
      integer_tile(product, with, with.one_row, row, first, 4);
    }
  }
}

/// How int8 weights are multiplied: a whole panel at a time, by one row or by two, in runs of so many inputs.
struct IntegerPanels {
  IntegerPanel* one_row;
  IntegerPanel* two_rows;
  std::uint32_t run;

  [[gnu::always_inline]] void run_one(const IntegerProduct& product) const noexcept {
    if (product.rows == 2) {
      two_rows(product);
    } else {
      one_row(product);
    }
  }
};

/// The sums of the first run, and then what others add.
[[gnu::always_inline]] inline void add_integer_panels(const IntegerProduct& product,
                                                      const IntegerPanels& with) noexcept {
  if (product.first == 0 && product.inputs <= with.run) {
    with.run_one(product);
    return;
  }
  IntegerProduct part = product;
  std::int32_t more[integer_rows * panel_width];
  part.first_row += product.first / with.run * run_bytes(with.run);
  for (std::uint32_t left = product.inputs; left != 0; left -= part.inputs) {
    part.inputs = left < with.run ? left : with.run;
    with.run_one(part);
    if (part.sums == more) {
      for (std::uint32_t i = 0; i < product.rows * panel_width; ++i) product.sums[i] += more[i];
    }
    part.sums = more;
    part.weights += std::size_t{part.inputs} * panel_width;
    part.first_row += run_bytes(with.run);
  }
}

/// In code for size, one for all types.
[[gnu::noinline, gnu::noclone]] inline void add_any_integer_panels(const IntegerProduct& product,
                                                                   const IntegerPanels& with) noexcept {
  add_integer_panels(product, with);
}

/// Rows one by one, in code for speed.
template <IntegerGroups* groups>
[[gnu::noinline]] void add_integer_groups(const IntegerProduct& product) noexcept {
  IntegerProduct part = product;
  part.first_row += product.first / scale_group_size * run_bytes(scale_group_size);
  for (std::uint32_t row = 0; row < product.rows; ++row) {
    groups(part);
    part.first_row += product.row_bytes;
    part.sums += panel_width;
  }
}

template <DataType weights, DataType rows>
[[nodiscard]] constexpr IntegerGroups* integer_groups() noexcept {
  if (weights == DataType::int4_multipliers) {
    return rows == DataType::int8 ? groups_of_nibbles : groups_of_nibbles_shifted;
  }
  return raw_words<weights, rows> ? groups_of_raw_words : groups_of_bytes;
}

/// In code for size, one for all types.
[[gnu::noinline, gnu::noclone]] inline void add_any_integer_tiles(const IntegerProduct& product,
                                                                  const IntegerTiles& with) noexcept {
  add_integer_tiles(product, with);
}

/// product.sums [product.rows, 16].
template <DataType weights, DataType rows>
void integer_sums(const IntegerProduct& product) noexcept {
  if constexpr (weights == DataType::int8) {
    constexpr std::uint32_t run = run_inputs<weights, rows>;
    static constexpr IntegerPanels with = raw_words<weights, rows>
                                              ? IntegerPanels{panel_of_raw_words, two_rows_of_raw_words, run}
                                              : IntegerPanels{panel_of_bytes, two_rows_of_bytes, run};
    if constexpr (port::unrolled == 1) {
      add_any_integer_panels(product, with);
    } else {
      add_integer_panels(product, with);
    }
  } else {
    static constexpr IntegerTiles with = integer_tiles<weights, rows>();
    if constexpr (port::unrolled == 1) {
      add_any_integer_tiles(product, with);
    } else if (product.rows == 2 && with.two_rows != nullptr) {
      add_integer_tiles(product, with);
    } else {
      add_integer_groups<integer_groups<weights, rows>()>(product);
    }
  }
}

}  // namespace heed::detail
