// SPDX-License-Identifier: MIT
//
// Sums of products of integers in sixteen lanes of 32 bits, an output each. Of eight inputs, a row is broadcast two or
// four at a time, and the weights become as many vectors of unsigned bytes, q + 128 or q + 8, or of pairs of 16 bits,
// q or so, as rows find them: the same for all rows. What is added to the weights the row's groups take off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/integer_lanes.hpp>
#include <detail/integer_products.hpp>
#include <kernels/integer_row.hpp>
#include <type_traits>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = rows_of_a_call;

/// How far ahead of their use weights are asked for: into the second cache for one row, which waits for memory, and
/// into the first for rows that keep the CPU from seeing a stream beside them. In huge pages the CPU sees a row's
/// stream by itself, and asks for it less far ahead.
inline constexpr std::ptrdiff_t weights_ahead_of_row = multiplies_bytes ? 4096 : 16384;
inline constexpr std::ptrdiff_t weights_ahead_of_rows = 4096;

/// Inputs that share vectors of weights.
inline constexpr std::uint32_t octet = 8;

/// How weights of a type meet rows of a type.
template <DataType weights, DataType rows>
struct IntegerSteps {
  static constexpr bool nibbles = weights == DataType::int4_multipliers;
  static constexpr bool multipliers = weights != DataType::int8;
  static constexpr bool bytes = has_byte_rows<weights, rows>;
  static constexpr int parts = bytes ? 2 : 4;  ///< of an octet, with four bytes of a row each
  static constexpr int weight_bytes = nibbles ? 64 : 128;
  static constexpr int row_bytes = parts * 4;
  static constexpr int lines = weight_bytes / 64;
  using Dots = std::conditional_t<bytes, ByteDots, PairDots>;

  /// A vector of weights of a line of an octet.
  [[gnu::always_inline]] static IntegerLanes part(const IntegerLanes& line, int number) noexcept {
    if constexpr (nibbles) {
      if constexpr (bytes) return masked(shifted_right(line, 4 * number), 0x0F0F0F0F);
      // Input i is the low nibble of byte i, input i + 4 the high one.
      return masked(shifted_right(line, number % 2 * 8 + number / 2 * 4), 0x000F000F);
    } else if constexpr (bytes) {
      return exclusive_or(line, static_cast<std::int32_t>(0x80008000U));
    } else {
      return number == 0 ? masked(line, 0x00FF00FF) : odd_bytes(line);
    }
  }
};

/// Where some rows are. One pointer serves four, at distances that are the same for each.
template <int Rows>
class RowPlaces {
 public:
  [[gnu::always_inline]] RowPlaces(const std::byte* first, std::size_t row_bytes) noexcept {
#pragma GCC unroll 4
    for (int g = 0; g < pointers; ++g) at_[g] = first + static_cast<std::size_t>(g * rows_of_a_pointer) * row_bytes;
#pragma GCC unroll 4
    for (std::size_t r = 0; r < rows_of_a_pointer; ++r) row_[r] = r * row_bytes;
  }

  [[nodiscard]] [[gnu::always_inline]] const std::byte* row(int number) const noexcept {
    return at_[number / rows_of_a_pointer] + row_[number % rows_of_a_pointer];
  }

  [[gnu::always_inline]] void go_on(std::ptrdiff_t bytes) noexcept {
#pragma GCC unroll 4
    for (int g = 0; g < pointers; ++g) at_[g] += bytes;
  }

 private:
  static constexpr int rows_of_a_pointer = 4;
  static constexpr int pointers = (Rows + rows_of_a_pointer - 1) / rows_of_a_pointer;

  const std::byte* at_[std::size_t{pointers}];
  std::size_t row_[std::size_t{rows_of_a_pointer}];
};

/// Panels that share what is loaded of a row; those of one row follow one another, as their loads wait for memory.
template <int Rows, int Panels>
inline constexpr int panels_at_once_of = Panels;
template <int Panels>
inline constexpr int panels_at_once_of<1, Panels> = 1;

/// Sums of some rows and panels, in chains where these are too few for the multipliers. The panels of one row are
/// streams of weights that the CPU sees by itself.
template <class Steps, int Rows, int Panels = 1>
struct DotTile {
  static constexpr int sums = Rows * Panels;
  static constexpr int chains = sums >= 4 ? 1 : sums == 1 ? Steps::parts : 2;
  static constexpr int panels_at_once = panels_at_once_of<Rows, Panels>;
  using Dots = typename Steps::Dots;

  /// Several rows and panels: of the next panels, into the second cache.
  [[gnu::always_inline]] static void prefetch_weights(const std::byte* weights,
                                                      [[maybe_unused]] std::size_t panel_bytes) noexcept {
    const auto* const line = reinterpret_cast<const float*>(weights);
    if constexpr (sums == 1) {
      port::prefetch_far(line, weights_ahead_of_row / 4);
    } else if constexpr (multiplies_bytes && Rows > 1 && Panels > 1) {
      port::prefetch_far(line, static_cast<std::ptrdiff_t>(panel_bytes) * Panels / 4);
    } else if constexpr (multiplies_bytes && Rows >= 4) {
      port::prefetch(line, weights_ahead_of_rows / 4);
    }
  }

  /// `panel_bytes` from a panel to the next one.
  [[gnu::always_inline]] void add_octet(const std::byte* panel, std::size_t panel_bytes, const RowPlaces<Rows>& places,
                                        int step) noexcept {
#pragma GCC unroll 2
    for (int line = 0; line < Steps::lines; ++line) {
      const std::byte* from = panel + std::ptrdiff_t{step} * Steps::weight_bytes + line * 64;
#pragma GCC unroll 4
      for (int p = 0; p < Panels; p += panels_at_once, from += panel_bytes) {
        add_lines(from, panel_bytes, line, p, places, step);
      }
    }
  }

  /// A line of the panels from `first` on.
  [[gnu::always_inline]] void add_lines(const std::byte* from, std::size_t panel_bytes, int number, int first,
                                        const RowPlaces<Rows>& places, int step) noexcept {
    constexpr int parts = Steps::parts / Steps::lines;
    IntegerLanes lines[std::size_t{panels_at_once}];
#pragma GCC unroll 4
    for (int p = 0; p < panels_at_once; ++p, from += panel_bytes) {
      prefetch_weights(from, panel_bytes);
      lines[p] = load_lanes(from);
      if constexpr (Rows == 1 && parts > 1) lines[p] = loaded_once(lines[p]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) {
      const int part = number * parts + i;
      const int at = step * Steps::row_bytes + part * 4;
      IntegerLanes weights[std::size_t{panels_at_once}];
#pragma GCC unroll 4
      for (int p = 0; p < panels_at_once; ++p) weights[p] = Steps::part(lines[p], i);
#pragma GCC unroll 32
      for (int r = 0; r < Rows; ++r) {
        IntegerLanes four = broadcast(places.row(r) + at);
        if constexpr (panels_at_once > 1) four = loaded_once(four);
#pragma GCC unroll 4
        for (int p = 0; p < panels_at_once; ++p) {
          Dots& dots = of[r * Panels + first + p][part % chains];
          dots = add_dots(dots, weights[p], four);
        }
      }
    }
  }

  /// Of row number / Panels and panel number % Panels.
  [[nodiscard]] [[gnu::always_inline]] IntegerLanes total(int number) const noexcept {
    IntegerLanes sum = sums_of(of[number][0]);
#pragma GCC unroll 4
    for (int c = 1; c < chains; ++c) sum = add(sum, sums_of(of[number][c]));
    return sum;
  }

  Dots of[std::size_t{sums}][std::size_t{chains}] = {};
};

/// Adds the products of a block of weights without multipliers, from its first group on; then the places are at its
/// last group, whose start is that of all.
template <class Steps, int Rows, int Panels>
[[gnu::always_inline]] inline void add_block(const std::byte* panel, std::size_t panel_bytes, std::uint32_t inputs,
                                             RowPlaces<Rows>& places, DotTile<Steps, Rows, Panels>& tile) noexcept {
  constexpr std::uint32_t octets = scale_group_size / octet;
  std::uint32_t left = inputs / octet;
  places.go_on(sizeof(std::int32_t));
  for (; left >= octets; places.go_on(row_group_bytes<Steps::bytes>)) {
#pragma GCC unroll 4
    for (int step = 0; step < static_cast<int>(octets); ++step) tile.add_octet(panel, panel_bytes, places, step);
    left -= octets;
    if (left == 0) break;
    panel += std::size_t{octets} * Steps::weight_bytes;
  }
  for (std::uint32_t step = 0; step < left; ++step) {
    tile.add_octet(panel, panel_bytes, places, static_cast<int>(step));
  }
  places.go_on(-static_cast<std::ptrdiff_t>(sizeof(std::int32_t)));
}

template <DataType weights, DataType rows, int Rows>
[[gnu::always_inline]] inline void sum_rows(const IntegerProduct& product, std::uint32_t first_row) noexcept {
  using Steps = IntegerSteps<weights, rows>;
  constexpr std::size_t group_bytes = row_group_bytes<Steps::bytes>;
  constexpr std::uint32_t octets = scale_group_size / octet;
  const std::byte* const first =
      product.row(first_row) + row_numbers_at + product.first / scale_group_size * group_bytes;
  RowPlaces<Rows> places(first, product.row_bytes);
  const std::byte* panel = product.weights;
  std::int32_t* const to = product.sums + std::size_t{first_row} * port::lanes;
  const auto start_of = [&places](int row) { return broadcast(places.row(row)); };

  if constexpr (Steps::multipliers) {
    constexpr int shift = group_shift<weights, rows>;
    for (std::uint32_t k = 0; k < product.inputs; k += scale_group_size) {
      DotTile<Steps, Rows> tile;
      const std::uint32_t left = (product.inputs - k) / octet;
      places.go_on(sizeof(std::int32_t));
      if (left >= octets) {
#pragma GCC unroll 4
        for (int step = 0; step < static_cast<int>(octets); ++step) tile.add_octet(panel, 0, places, step);
      } else {
        for (std::uint32_t step = 0; step < left; ++step) tile.add_octet(panel, 0, places, static_cast<int>(step));
      }
      panel += std::size_t{octets} * Steps::weight_bytes;
      places.go_on(-static_cast<std::ptrdiff_t>(sizeof(std::int32_t)));
      const IntegerLanes multipliers =
          load_multipliers(product.multipliers + std::size_t{k / scale_group_size} * port::lanes);
#pragma GCC unroll 32
      for (int r = 0; r < Rows; ++r) {
        const IntegerLanes sum = add(tile.total(r), start_of(r));
        const IntegerLanes scaled = multiply(rounded_shift<shift>(sum), multipliers);
        std::int32_t* const at = to + std::ptrdiff_t{r} * port::lanes;
        store_lanes(at, k == 0 ? scaled : add(scaled, load_lanes(reinterpret_cast<const std::byte*>(at))));
      }
      places.go_on(group_bytes);
    }
  } else {
    DotTile<Steps, Rows> tile;
    add_block(panel, 0, product.inputs, places, tile);
#pragma GCC unroll 32
    for (int r = 0; r < Rows; ++r) {
      store_lanes(to + std::ptrdiff_t{r} * port::lanes, add(tile.total(r), start_of(r)));
    }
  }
}

/// How many rows are taken where there are no longer so many.
template <int Rows>
inline constexpr int fewer_rows = Rows == 16   ? 12
                                  : Rows == 12 ? 8
                                  : Rows == 6  ? 4
                                               : Rows / 2;

/// The rows from `row` on, `Rows` at a time, and then fewer.
template <DataType weights, DataType rows, int Rows>
void sum_rows_from(const IntegerProduct& product, std::uint32_t row) noexcept {
  for (; product.rows - row >= Rows; row += Rows) sum_rows<weights, rows, Rows>(product, row);
  if constexpr (Rows > 1) {
    if (row < product.rows) sum_rows_from<weights, rows, fewer_rows<Rows>>(product, row);
  }
}

/// All rows. Few of them begin with the tile that they fill.
template <DataType weights, DataType rows, int Rows = rows_of_a_sum>
[[gnu::always_inline]] inline void sum_all_rows(const IntegerProduct& product) noexcept {
  if constexpr (Rows > 1) {
    if (product.rows < Rows) return sum_all_rows<weights, rows, fewer_rows<Rows>>(product);
  }
  sum_rows_from<weights, rows, Rows>(product, 0);
}

/// product.sums [product.rows, 16].
template <DataType weights, DataType rows>
void integer_sums(const IntegerProduct& product) noexcept {
  sum_all_rows<weights, rows>(product);
}

}  // namespace heed::detail
