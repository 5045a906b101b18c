// SPDX-License-Identifier: MIT
//
// Scores of queries and keys of int8, from integers to floats.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>
#include <kernels/key_scores.hpp>
#include <kernels/rounded_rows.hpp>
#include <kernels/row_magnitude.hpp>
#include <kernels/row_pairs.hpp>
#include <limits>

#include "heed/detail/rounded_row.hpp"
#include "ports/integer_room.hpp"
#include "ports/odd_numbers.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::most_inputs;
using port_check::product_row_bytes;
using port_check::Step;
using port_check::y_row;

/// A query of eight channels, with its own scale.
void round_query(const float* x, std::byte* to) {
  if (detail::round_all_rows<DataType::int8, DataType::int8>(x, 0, 1, 8, product_row_bytes, to)) return;
  constexpr float most = detail::most_of_rows<DataType::int8>;
  const float greatest = detail::row_magnitude(x, 8);
  const bool counts = greatest >= 0x1p-100F;
  std::memset(to, 0, product_row_bytes);
  *reinterpret_cast<float*>(to) = greatest < 0x1p-100F ? 0.0F : greatest * (1.0F / most);
  if (counts) detail::store_row<DataType::int8, DataType::int8>(x, most / greatest, 8, to);
}

/// x [8], of which one number or all become great, little or infinite, or the least that is not rounded to 0, or less.
void fill_query(const float* x, std::uint32_t number, float* query) {
  constexpr float factors[] = {1.0F, 0x1p-102F, std::numeric_limits<float>::infinity(), 1e9F};
  for (std::uint32_t i = 0; i < 8; ++i) {
    query[i] = x[i] * (number % 3 == 1 || i == number ? factors[number % 4] : 1.0F);
    if (number % 3 == 2) query[i] = i != number ? 0.0F : number % 2 == 0 ? -0x1p-100F : 0x1.fffffep-101F;
  }
}

/// score_keys(), with room for the results of three rows or more if it takes some.
template <class Product>
[[nodiscard]] bool score_all(const Product& product, std::uint32_t number) {
  if constexpr (requires(float* results) { detail::score_keys(product, results, 0U); }) {
    static float results[12 * panel_width];
    return detail::score_keys(product, results, 3 * panel_width * (1 + number % 4));
  } else {
    return detail::score_keys(product);
  }
}

constexpr std::uint32_t score_cases = 60;
constexpr std::uint32_t tampered_score_cases = 120;

/// Scores of heads of eight channels, or more; of some heads of sixteen the last eight numbers are 0. From score_cases
/// on, keys are tampered with.
template <std::uint32_t eights>
void score(std::uint32_t number, Found& found) {
  Numbers random(number);
  const bool tampered = number >= score_cases;
  if (tampered) {
    fill_any_bits(random);
  } else {
    fill_weights<DataType::int8>(random, number % 5);
  }
  const bool half = eights > 1 && number % 6 == 5;
  const std::uint32_t inputs = half ? 16 : 8 * random.between(1, eights);
  const std::uint32_t rows = number % 4 == 0 ? 12 * (1 + number / 4 % 3) : 1 + number % 5;
  const std::span<float> y = std::span(room().y).first(rows * y_row);
  random.fill(y, 1.0F);
  random.fill(room().x, 1.0F);
  float query[16]{};
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::byte* const to = room().rows + row * product_row_bytes;
    const float* x = room().x + row * 8;
    if (half) {
      std::copy_n(x, 8, query);
      x = query;
    }
    if (eights == 1 && rows <= 2) {
      fill_query(x, number / 8 + row, query);
      round_query(query, to);
      found.add(*reinterpret_cast<const float*>(to));
      continue;
    }
    detail::store_row<DataType::int8, DataType::int8>(x, 127.0F, inputs, to);
    *reinterpret_cast<float*>(to) = room().x[row] * 0x1p-7F;
  }
  if (tampered) spoil(random, std::span(room().x).first(y_row), number % 2 == 0 ? 2 : 8);
  detail::join_product_rows<DataType::int8, DataType::int8>(room().rows, product_row_bytes, rows, inputs);
  const detail::MatrixProduct product{.weights = room().weights,
                                      .scales = room().x,
                                      .bias = nullptr,
                                      .rows = room().rows,
                                      .row_bytes = product_row_bytes,
                                      .count = rows,
                                      .inputs = inputs,
                                      .outputs = (1 + number % 3) * panel_width,
                                      .y = y.data(),
                                      .y_row = y_row};
  const bool done = score_all(product, number);
  for (std::uint32_t row = 0; !done && row < rows; row += detail::integer_rows) {
    const std::uint32_t count = rows - row < detail::integer_rows ? rows - row : detail::integer_rows;
    for (std::uint32_t key = 0; key < product.outputs; key += panel_width) {
      sum_panel<DataType::int8, DataType::int8>(row, count, room().weights + key * inputs, nullptr, inputs);
      for (std::uint32_t r = row; r < row + count; ++r) {
        detail::scale_sums(room().sums + std::size_t{r - row} * panel_width, room().x + key,
                           *reinterpret_cast<const float*>(room().rows + r * product_row_bytes), &y[r * y_row + key]);
      }
    }
  }
  found.add(y);
}

/// Scores of heads of more channels than the sums of one block have.
void score_blocks(std::uint32_t number, Found& found) {
  constexpr std::size_t bytes = port_check::row_bytes;
  constexpr std::uint32_t block = detail::block_inputs;
  Numbers random(number);
  fill_weights<DataType::int8>(random, number % 5);
  const std::uint32_t inputs = block + 8 * random.between(1, (most_inputs - block) / 8);
  const std::uint32_t rows = 1 + number % 4;
  const std::span<float> y = std::span(room().y).first(rows * y_row);
  random.fill(y, 1.0F);
  random.fill(room().x, 1.0F);
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::byte* const to = room().rows + row * bytes;
    detail::store_row<DataType::int8, DataType::int8>(room().x, 127.0F, inputs, to);
    *reinterpret_cast<float*>(to) = room().x[row] * 0x1p-7F;
  }
  detail::join_product_rows<DataType::int8, DataType::int8>(room().rows, bytes, rows, inputs);
  const bool done = score_all(detail::MatrixProduct{.weights = room().weights,
                                                    .scales = room().x,
                                                    .bias = nullptr,
                                                    .rows = room().rows,
                                                    .row_bytes = bytes,
                                                    .count = rows,
                                                    .inputs = inputs,
                                                    .outputs = panel_width,
                                                    .y = y.data(),
                                                    .y_row = y_row},
                              number);
  for (std::uint32_t row = 0; !done && row < rows; row += detail::integer_rows) {
    for (std::uint32_t first = 0; first < inputs; first += block) {
      const detail::IntegerProduct part{.weights = room().weights + std::size_t{first} * panel_width,
                                        .multipliers = nullptr,
                                        .first_row = room().rows + row * bytes,
                                        .row_bytes = bytes,
                                        .rows = rows - row < detail::integer_rows ? rows - row : detail::integer_rows,
                                        .first = first,
                                        .inputs = inputs - first < block ? inputs - first : block,
                                        .sums = room().sums};
      detail::integer_sums<DataType::int8, DataType::int8>(part);
      for (std::uint32_t r = 0; r < part.rows; ++r) {
        const std::int32_t* const sums = part.sums + std::size_t{r} * panel_width;
        const float scale = *reinterpret_cast<const float*>(part.row(r));
        float* const to = &y[(row + r) * y_row];
        if (first == 0) {
          detail::scale_sums(sums, room().x, scale, to);
        } else {
          detail::add_sums(sums, room().x, scale, to, to);
        }
      }
    }
  }
  found.add(y);
}

constexpr Step steps[] = {
    {"scores of heads of eight channels", score_cases + tampered_score_cases, score<1>},
    {"scores of heads of several blocks", 12, score_blocks},
    {"scores of heads of more channels", score_cases + tampered_score_cases, score<32>},
};

}  // namespace

std::span<const Step> score_steps() {
  return steps;
}

}  // namespace heed::test
