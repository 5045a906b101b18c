// SPDX-License-Identifier: MIT
//
// The product: tiles of every height, in each layout that the runtime has.
#include <cstddef>
#include <kernels/panel_pairs.hpp>
#include <kernels/softmax.hpp>
#include <limits>
#include <port.hpp>

#include "firmware/data.hpp"
#include "ports/steps.hpp"
#include "product/gemm.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr std::size_t room = 6144;
float memory[4][room];

struct Shape {
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t depth;
};

/// B in panels one behind the other, as keys and weights are stored, or row by row, as values are.
enum class Panels : std::uint8_t { stacked, side_by_side };

/// A product of random numbers, with NaN in what must not be read and -7 in what must not be written.
struct Product {
  detail::Gemm of;
  std::span<float> c;
};

Product make_product(Numbers& random, const Shape& shape, Panels layout) {
  for (float& value : memory[0]) value = std::numeric_limits<float>::quiet_NaN();
  for (float& value : memory[1]) value = std::numeric_limits<float>::quiet_NaN();
  for (float& value : memory[2]) value = -7.0F;
  const std::uint32_t wide = (shape.columns + 15) / 16 * 16;
  Product made{};
  detail::Gemm& of = made.of;
  of.rows = shape.rows;
  of.columns = shape.columns;
  of.depth = shape.depth;
  const bool adjacent = random.bits16() % 4 == 0;
  const std::uint32_t pad = random.between(0, 3);
  of.a = memory[0] + 3;
  of.a_row = adjacent ? 1 : static_cast<std::ptrdiff_t>(shape.depth + pad);
  of.a_step = adjacent ? static_cast<std::ptrdiff_t>(shape.rows + pad) : 1;
  for (std::uint32_t r = 0; r < shape.rows; ++r) {
    for (std::uint32_t k = 0; k < shape.depth; ++k)
      random.fill(std::span(memory[0] + 3 + r * of.a_row + k * of.a_step, 1), 1.0F);
  }
  const bool stacked = layout == Panels::stacked;
  of.b = memory[1] + 5;
  of.b_panel = stacked ? static_cast<std::ptrdiff_t>(16 * shape.depth) : 16;
  of.b_step = stacked ? 16 : static_cast<std::ptrdiff_t>(shape.columns + pad);
  for (std::uint32_t k = 0; k < shape.depth; ++k) {
    for (std::uint32_t column = 0; column < shape.columns; ++column) {
      random.fill(std::span(memory[1] + 5 + column / 16 * of.b_panel + k * of.b_step + column % 16, 1), 1.0F);
    }
  }
  of.c = memory[2] + 7;
  of.c_row = static_cast<std::ptrdiff_t>(wide + pad);
  of.c_panel = 16;
  made.c = std::span(memory[2]).first(7 + shape.rows * (wide + pad) + 16);
  const std::uint32_t start = random.between(0, 2);
  if (start != 0) {
    random.fill(memory[3], 1.0F);
    of.start = memory[3];
    of.start_row = start == 1 ? 0 : of.c_row;
  }
  return made;
}

/// Up to two tiles and a row of the highest port, up to four panels, and often a part of one.
void multiply_any(std::uint32_t number, Found& found) {
  Numbers random(number);
  const Shape shape{1 + number % 37, random.between(1, 70), random.between(1, 40)};
  Product product = make_product(random, shape, number % 3 == 0 ? Panels::side_by_side : Panels::stacked);
  detail::multiply(product.of);
  found.add(product.c);
}

/// Rows that are long enough to be asked for ahead.
void multiply_long_rows(std::uint32_t number, Found& found) {
  Numbers random(number);
  const Shape shape{1 + number % 38, random.between(1, 32), random.between(128, 144)};
  Product product = make_product(random, shape, Panels::stacked);
  detail::multiply(product.of);
  found.add(product.c);
}

/// The product of one panel with the greatest of each column on the way; a port that weighs row after row looks for
/// them afterwards.
void multiply_panel(detail::Gemm& product, float* maxima) {
  product.column_maxima = maxima;
  detail::multiply(product);
  if (!detail::softmax_by_rows) return;
  for (std::uint32_t r = 0; r < product.rows; ++r) {
    const float* row = product.c + r * product.c_row;
    for (int i = 0; i < port::lanes; ++i) maxima[i] = row[i] > maxima[i] ? row[i] : maxima[i];
  }
}

/// One panel of scores, with queries in the lanes.
void multiply_with_maxima(std::uint32_t number, Found& found) {
  Numbers random(number);
  Product product = make_product(random, {1 + number % 40, 16, random.between(1, 40)}, Panels::stacked);
  float maxima[port::lanes];
  random.fill(maxima, 0.5F);
  if (number % 3 == 0) {
    for (float& maximum : maxima) maximum = std::numeric_limits<float>::lowest();
  }
  multiply_panel(product.of, maxima);
  found.add(product.c);
  found.add(maxima);
}

/// Two panels of scores: of two groups of queries whose scores lie apart, and in any order.
void multiply_pair_with_maxima(std::uint32_t number, Found& found) {
  Numbers random(number);
  Product product = make_product(random, {1 + number % 40, 32, random.between(1, 40)}, Panels::stacked);
  detail::Gemm& of = product.of;
  const auto apart = static_cast<std::ptrdiff_t>(of.rows) * 16;
  const bool second_first = number % 2 == 0;
  of.c_row = 16;
  of.c_panel = second_first ? -apart : apart;
  if (second_first) of.c += apart;
  of.start = nullptr;
  float maxima[2 * port::lanes];
  for (float& maximum : maxima) maximum = std::numeric_limits<float>::lowest();
  if constexpr (detail::panels_at_once == 2) {
    of.column_maxima = maxima;
    detail::multiply(of);
  } else {
    for (int panel = 0; panel < 2; ++panel) {
      detail::Gemm one = of;
      one.columns = 16;
      one.b += panel * of.b_panel;
      one.c += panel * of.c_panel;
      multiply_panel(one, maxima + panel * port::lanes);
    }
  }
  found.add(product.c);
  found.add(maxima);
}

constexpr Step steps[] = {
    {"tile", 37 * 6, multiply_any},
    {"tile, long rows", 76, multiply_long_rows},
    {"tile, column_maxima", 80, multiply_with_maxima},
    {"tile, column_maxima of two panels", 80, multiply_pair_with_maxima},
};

}  // namespace

std::span<const Step> tile_steps() {
  return steps;
}

}  // namespace heed::test
