// SPDX-License-Identifier: MIT
//
// One row times a matrix of int8, from integers to outputs. A decode waits for weights: all panels are in one loop, so
// that those of the next one are asked for while the sums of this one become outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The sums of one panel.
template <DataType rows>
[[gnu::always_inline]] inline IntegerLanes sums_of_panel(const MatrixProduct& product,
                                                         const std::byte* panel) noexcept {
  using Steps = IntegerSteps<DataType::int8, rows>;
  constexpr std::uint32_t octets = scale_group_size / octet;
  RowPlaces<1> places(product.rows + row_numbers_at, product.row_bytes);
  DotTile<Steps, 1> tile;
  std::uint32_t left = product.inputs / octet;
  places.go_on(sizeof(std::int32_t));
  for (; left > octets; left -= octets) {
#pragma GCC unroll 4
    for (int step = 0; step < static_cast<int>(octets); ++step) tile.add_octet(panel, places, step);
    panel += std::size_t{octets} * Steps::weight_bytes;
    places.go_on(row_group_bytes<Steps::bytes>);
  }
  for (std::uint32_t step = 0; step < left; ++step) tile.add_octet(panel, places, static_cast<int>(step));
  places.go_on(-static_cast<std::ptrdiff_t>(sizeof(std::int32_t)));
  return add(tile.total(0), broadcast(places.row(0)));
}

/// How many rows' products have been taken: one alone, of whole panels.
template <DataType rows>
[[nodiscard]] [[gnu::noinline]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  static constexpr float no_bias[panel_width]{};
  if (product.count != 1 || product.outputs % panel_width != 0) return 0;
  const bool biased = product.bias != nullptr;
  const float row_scale = *reinterpret_cast<const float*>(product.rows);
  const std::size_t panel_bytes = std::size_t{product.inputs} * panel_width;
  const std::byte* panel = product.weights;
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width, panel += panel_bytes) {
    std::int32_t sums[panel_width];
    store_lanes(sums, sums_of_panel<rows>(product, panel));
    add_sums(sums, product.scales + first, row_scale, biased ? product.bias + first : no_bias, product.y + first);
  }
  return 1;
}

}  // namespace heed::detail
