// SPDX-License-Identifier: MIT
//
// Whole products of rows and weights of int8, from integers to outputs.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <kernels/grouped_matrix.hpp>
#include <kernels/integer_matrix.hpp>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>
#include <kernels/rounded_pairs.hpp>
#include <kernels/row_pairs.hpp>

#include "heed/detail/rounded_row.hpp"
#include "ports/integer_room.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::most_inputs;
using port_check::most_product_inputs;
using port_check::most_product_rows;
using port_check::product_row_bytes;
using port_check::Step;
using port_check::y_row;

/// Rows of a product, two at a time where the port does so, and their scales; join_product_rows() may move these, too.
template <DataType type>
void store_rows(std::uint32_t rows, std::uint32_t inputs) {
  constexpr float most = detail::most_of_rows<type>;
  const float* const x = room().x + most_inputs - inputs;
  const auto place = [](std::uint32_t row) { return room().rows + row * product_row_bytes; };
  const auto set_scale = [&](std::uint32_t row) { *reinterpret_cast<float*>(place(row)) = room().x[row] * 0x1p-7F; };
  std::uint32_t row = 0;
  if constexpr (detail::rounds_row_pairs<type>) {
    for (; rows - row >= 2; row += 2) {
      detail::store_row_pair<type>({x - row, x - row - 1}, {most, row % 3 == 0 ? 0.0F : most}, inputs - row % 8,
                                   place(row));
      set_scale(row);
      set_scale(row + 1);
    }
  }
  const std::uint32_t first = row;
  for (; row < rows; ++row) {
    const float factor = row % 2 == 1 && row % 3 == 1 ? 0.0F : most;
    detail::store_row<DataType::int8, type>(x - row, factor, inputs - row / 2 * 2 % 8, place(row));
    set_scale(row);
  }
  detail::join_product_rows<DataType::int8, type>(place(first), product_row_bytes, rows - first, inputs);
}

/// Outputs of a panel from the sums of some rows, as integer_linear() makes them.
void add_outputs(const detail::MatrixProduct& product, const float* scales, std::uint32_t first, std::uint32_t row,
                 std::uint32_t count) {
  const std::uint32_t left = product.outputs - first;
  const std::uint32_t columns = left < panel_width ? left : panel_width;
  for (std::uint32_t r = 0; r < count; ++r) {
    float lanes[panel_width]{};
    for (std::uint32_t i = 0; i < columns && product.bias != nullptr; ++i) lanes[i] = product.bias[first + i];
    detail::add_sums(room().sums + std::size_t{r} * panel_width, scales,
                     *reinterpret_cast<const float*>(product.rows + (row + r) * product.row_bytes), lanes, lanes);
    for (std::uint32_t i = 0; i < columns; ++i) product.y[(row + r) * y_row + first + i] = lanes[i];
  }
}

/// All outputs of weights of int8: those of the rows that a port's kernel of a matrix leaves, from sums of panels.
template <DataType type>
void multiply(const detail::MatrixProduct& product) {
  for (std::uint32_t row = detail::multiply_matrix<type>(product); row < product.count; row += detail::integer_rows) {
    const std::uint32_t left = product.count - row;
    const std::uint32_t count = left < detail::integer_rows ? left : detail::integer_rows;
    for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
      detail::integer_sums<DataType::int8, type>({.weights = product.weights + std::size_t{first} * product.inputs,
                                                  .multipliers = nullptr,
                                                  .first_row = product.rows + row * product.row_bytes,
                                                  .row_bytes = product.row_bytes,
                                                  .rows = count,
                                                  .first = 0,
                                                  .inputs = product.inputs,
                                                  .sums = room().sums});
      add_outputs(product, product.scales + first, first, row, count);
    }
  }
}

/// Whole outputs of rows and weights of int8.
template <DataType type>
void outputs(std::uint32_t number, Found& found) {
  Numbers random(number);
  fill_weights<DataType::int8>(random, 0);
  constexpr std::uint32_t most = y_row - 3;
  const std::uint32_t rows = random.between(1, number % 3 == 0 ? most_product_rows : 5);
  const std::uint32_t inputs = 8 * random.between(1, most_product_inputs / 8);
  float* const scales = room().x;
  float* const bias = scales + 48;
  float* const y = room().y;
  random.fill(std::span(room().x, most_inputs), 1.0F);
  random.fill(std::span(y, rows * y_row), 1.0F);
  store_rows<type>(rows, inputs);
  const detail::MatrixProduct product{.weights = room().weights,
                                      .scales = scales,
                                      .bias = number % 2 == 0 ? bias : nullptr,
                                      .rows = room().rows,
                                      .row_bytes = product_row_bytes,
                                      .count = rows,
                                      .inputs = inputs,
                                      .outputs = random.between(1, most),
                                      .y = y,
                                      .y_row = y_row};
  multiply<type>(product);
  found.add(std::span(y, rows * y_row));
}

/// Likewise of so many rows that a port may take the weights once for all of them, and of as many inputs as it expects.
void outputs_of_many_rows(std::uint32_t number, Found& found) {
  Numbers random(number);
  fill_weights<DataType::int8>(random, number % 5);
  const std::uint32_t rows = random.between(8, most_product_rows);
  const std::uint32_t inputs = number % 2 == 0 ? 64 : 256;
  const std::size_t bytes = detail::rounded_row_bytes(inputs);
  const std::span<float> y = std::span(room().y).first(rows * y_row);
  random.fill(y, 1.0F);
  random.fill(room().x, 1.0F);
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::byte* const to = room().rows + row * bytes;
    detail::store_row<DataType::int8, DataType::int8>(room().x + row * 8, number % 7 == row ? 0.0F : 127.0F, inputs,
                                                      to);
    *reinterpret_cast<float*>(to) = room().x[row] * 0x1p-7F;
  }
  detail::join_product_rows<DataType::int8, DataType::int8>(room().rows, bytes, rows, inputs);
  const detail::MatrixProduct product{.weights = room().weights,
                                      .scales = room().x,
                                      .bias = number % 3 == 0 ? nullptr : room().x + 48,
                                      .rows = room().rows,
                                      .row_bytes = bytes,
                                      .count = rows,
                                      .inputs = inputs,
                                      .outputs = 8 * random.between(1, y_row / 8 - 1),
                                      .y = y.data(),
                                      .y_row = y_row};
  multiply<DataType::int8>(product);
  found.add(y);
}

/// Whole outputs of rows of int8 and weights of int4_multipliers.
void grouped_outputs(std::uint32_t number, Found& found) {
  constexpr DataType type = DataType::int4_multipliers;
  Numbers random(number);
  fill_weights<type>(random, number % 5);
  const std::uint32_t rows = random.between(1, 4);
  const std::uint32_t inputs = 8 * random.between(1, most_product_inputs / 8);
  const std::span<float> y = std::span(room().y).first(rows * y_row);
  random.fill(std::span(room().x), 1.0F);
  random.fill(y, 1.0F);
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::byte* const to = room().rows + row * product_row_bytes;
    detail::store_row<type, DataType::int8>(room().x + row * 8, number % 7 == row ? 0.0F : 127.0F, inputs, to);
    *reinterpret_cast<float*>(to) = room().x[row] * 0x1p-7F;
  }
  detail::join_product_rows<type, DataType::int8>(room().rows, product_row_bytes, rows, inputs);
  // A panel's scales, and its multipliers after them.
  const std::size_t groups = (inputs + 31) / 32;
  const std::size_t panel = panel_width + groups * 4;
  float* const scales = room().x;
  for (std::size_t i = 0; i < 3; ++i) {
    std::memcpy(scales + i * panel + panel_width, room().multipliers + i * panel_width, groups * panel_width);
  }
  const detail::MatrixProduct product{.weights = room().weights,
                                      .scales = scales,
                                      .bias = number % 2 == 0 ? scales + 3 * panel : nullptr,
                                      .rows = room().rows,
                                      .row_bytes = product_row_bytes,
                                      .count = rows,
                                      .inputs = inputs,
                                      .outputs = random.between(1, y_row - 3),
                                      .y = y.data(),
                                      .y_row = y_row};
  if (detail::has_grouped_matrix) detail::multiply_grouped_matrix(product);
  for (std::uint32_t first = 0; !detail::has_grouped_matrix && first < product.outputs; first += panel_width) {
    const float* const from = scales + first / panel_width * panel;
    for (std::uint32_t row = 0; row < rows; row += detail::integer_rows) {
      const std::uint32_t count = rows - row < detail::integer_rows ? rows - row : detail::integer_rows;
      sum_panel<type, DataType::int8>(row, count, room().weights + std::size_t{first} * inputs / 2,
                                      reinterpret_cast<const std::int8_t*>(from + panel_width), inputs);
      add_outputs(product, from, first, row, count);
    }
  }
  found.add(y);
}

constexpr Step steps[] = {
    {"outputs of int8 weights and int8 rows", 120, outputs<DataType::int8>},
    {"outputs of int8 weights and int16 rows", 120, outputs<DataType::int16>},
    {"outputs of many rows", 40, outputs_of_many_rows},
    {"outputs of int4_multipliers weights and int8 rows", 60, grouped_outputs},
};

}  // namespace

std::span<const Step> product_steps() {
  return steps;
}

}  // namespace heed::test
