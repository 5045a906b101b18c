// SPDX-License-Identifier: MIT
//
// Rows that are rounded, and weights of a softmax times values: at once where the port does so.
#include <cstddef>
#include <cstdint>
#include <kernels/integer_sums.hpp>
#include <kernels/rounded_rows.hpp>
#include <kernels/row_magnitude.hpp>
#include <kernels/row_pairs.hpp>
#include <kernels/value_products.hpp>
#include <kernels/value_sums.hpp>
#include <limits>

#include "ports/integer_room.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::most_product_inputs;
using port_check::product_row_bytes;
using port_check::Step;
using port_check::y_row;

[[nodiscard]] std::byte* row_at(std::uint32_t row) {
  return room().rows + row * product_row_bytes;
}

[[nodiscard]] float& scale_at(std::uint32_t row) {
  return *reinterpret_cast<float*>(row_at(row));
}

void round_apart(const float* x, std::uint32_t inputs, std::uint32_t row) {
  const float greatest = detail::row_magnitude(x, inputs);
  scale_at(row) = greatest < 0x1p-100F ? 0.0F : greatest * (1.0F / 127.0F);
  if (greatest >= 0x1p-100F)
    return detail::store_row<DataType::int8, DataType::int8>(x, 127.0F / greatest, inputs, row_at(row));
  for (std::size_t i = detail::row_numbers_at; i < product_row_bytes; ++i) row_at(row)[i] = std::byte{0};
}

/// Scales of rounded rows, and the sums of their numbers; some are zeros, next to nothing, infinite or NaN.
void round(std::uint32_t number, Found& found) {
  constexpr float kinds[] = {0.0F, 0x1p-101F, std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
  Numbers random(number);
  fill_weights<DataType::int8>(random, number % 4);
  random.fill(room().x, 1.0F);
  const std::uint32_t rows = random.between(1, 6);
  const std::uint32_t inputs = (number % 3 == 0 ? 8 : 32) * random.between(1, most_product_inputs / 32);
  if (number % 2 == 1) {
    for (std::uint32_t i = 0; i < inputs; ++i) room().x[i] *= 0x1p-120F;
    room().x[random.between(0, 7)] = kinds[number / 2 % 4];
  }
  const auto stride = static_cast<std::ptrdiff_t>(inputs);
  const std::uint32_t fits = port_check::most_inputs / inputs;
  const std::uint32_t count = rows < fits ? rows : fits;
  if (!detail::round_all_rows<DataType::int8, DataType::int8>(room().x, stride, count, inputs, product_row_bytes,
                                                              room().rows)) {
    for (std::uint32_t row = 0; row < count; ++row) round_apart(room().x + std::size_t{row} * inputs, inputs, row);
    detail::join_rows<DataType::int8>(room().rows, product_row_bytes, count, inputs);
  }
  for (std::uint32_t row = 0; row < count; row += detail::integer_rows) {
    const std::uint32_t taken = count - row < detail::integer_rows ? count - row : detail::integer_rows;
    sum_panel<DataType::int8, DataType::int8>(row, taken, room().weights, nullptr, inputs);
    for (std::uint32_t r = 0; r < taken; ++r) {
      const float scale = scale_at(row + r);
      found.add(scale == scale ? scale : -1.0F);
      for (std::uint32_t i = 0; i < panel_width; ++i) {
        found.add(static_cast<float>(room().sums[std::size_t{r} * panel_width + i]));
      }
    }
  }
}

/// Results of rounded weights and values, with sums that are not made at once.
void weigh_apart(std::uint32_t rows, std::uint32_t keys, std::uint32_t channels, float* y) {
  detail::join_rows<DataType::int16>(room().rows, product_row_bytes, rows, keys);
  for (std::uint32_t row = 0; row < rows; row += detail::integer_rows) {
    const std::uint32_t taken = rows - row < detail::integer_rows ? rows - row : detail::integer_rows;
    for (std::uint32_t channel = 0; channel < channels; channel += panel_width) {
      const std::uint32_t left = channels - channel;
      sum_panel<DataType::int8, DataType::int16>(row, taken, room().weights + std::size_t{channel} * keys, nullptr,
                                                 keys);
      for (std::uint32_t r = 0; r < taken; ++r) {
        const detail::ValueSums to{y + std::size_t{row + r} * y_row + channel, left < panel_width ? left : panel_width,
                                   true, true};
        to.add(room().sums + std::size_t{r} * panel_width, scale_at(row + r));
      }
    }
  }
}

constexpr std::uint32_t weigh_cases = 120;
constexpr std::uint32_t tampered_weigh_cases = 40;

/// Values, which from weigh_cases on are tampered with.
void fill_values(Numbers& random, std::uint32_t number) {
  if (number < weigh_cases) return fill_weights<DataType::int8>(random, number % 4);
  fill_any_bits(random);
}

/// Results of rounded weights and values.
void weigh(std::uint32_t number, Found& found) {
  Numbers random(number);
  fill_values(random, number);
  random.fill(room().x, 1.0F);
  const std::uint32_t rows = random.between(1, 9);
  const std::uint32_t keys = 16 * random.between(1, most_product_inputs / 16);
  const std::uint32_t channels = random.between(1, y_row);
  const std::size_t panel_bytes = std::size_t{keys} * panel_width;
  for (std::uint32_t row = 0; row < rows; ++row) {
    detail::store_row<DataType::int8, DataType::int16>(room().x + std::size_t{row} * 8, 16383.0F, keys, row_at(row));
    scale_at(row) = room().x[row];
  }
  float* const y = room().y;
  if (!detail::multiply_weights(
          {room().weights, panel_bytes, room().rows, product_row_bytes, rows, keys, channels, y, y_row})) {
    weigh_apart(rows, keys, channels, y);
  }
  for (std::uint32_t row = 0; row < rows; ++row) found.add({y + std::size_t{row} * y_row, channels});
}

/// Likewise of weights that are not rounded yet, up to the greatest magnitude that their numbers may have; of as many
/// keys as a port may expect, and of others.
void round_and_weigh(std::uint32_t number, Found& found) {
  constexpr float most = 16383.0F;
  constexpr std::uint32_t p_row = 96;
  Numbers random(number);
  fill_values(random, number);
  random.fill(room().x, 1.0F);
  for (float& p : room().x) p = p < 0.0F ? -p : p;
  const std::uint32_t rows = random.between(1, 12);
  const std::uint32_t keys = number % 5 == 0 ? 96 : 112;
  const std::uint32_t channels = number % 6 == 0 ? random.between(1, y_row) : 16 * random.between(1, y_row / 16);
  float greatest[12];
  for (std::uint32_t row = 0; row < rows; ++row) {
    greatest[row] = detail::row_magnitude(room().x + row * p_row, keys);
    if (number % 7 == row) greatest[row] = std::numeric_limits<float>::quiet_NaN();
    if (number % 11 == row) greatest[row] = 0x1p-101F;
  }
  float* const y = room().y;
  if (!detail::round_and_multiply_weights({room().weights, std::size_t{keys} * panel_width, room().rows,
                                           product_row_bytes, rows, keys, channels, y, y_row},
                                          room().x, p_row, greatest, room().rows)) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      scale_at(row) = greatest[row] < 0x1p-100F ? 0.0F : greatest[row] * (1.0F / most);
      const float factor = greatest[row] >= 0x1p-100F ? most / greatest[row] : 0.0F;
      detail::store_row<DataType::int8, DataType::int16>(room().x + row * p_row, factor, keys, row_at(row));
    }
    weigh_apart(rows, keys, channels, y);
  }
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      const float result = y[std::size_t{row} * y_row + channel];
      found.add(result == result ? result : -1.0F);
    }
  }
}

constexpr Step steps[] = {
    {"rows that are rounded to int8", 120, round},
    {"weights of int16 times values", weigh_cases + tampered_weigh_cases, weigh},
    {"weights of attention times values", weigh_cases + tampered_weigh_cases, round_and_weigh},
};

}  // namespace

std::span<const Step> rounded_steps() {
  return steps;
}

}  // namespace heed::test
