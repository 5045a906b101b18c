// SPDX-License-Identifier: MIT
//
// Kernels on rows: stored numbers, transposition, rotation, what looks for infinity, and the checksum of files.
#include <cstddef>
#include <kernels/convert.hpp>
#include <kernels/crc32.hpp>
#include <kernels/each_column.hpp>
#include <kernels/finite.hpp>
#include <kernels/rotary_points.hpp>
#include <kernels/rotate.hpp>
#include <kernels/transpose.hpp>
#include <limits>
#include <port.hpp>

#include "firmware/data.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

void keep(const port::f32x16& v, Found& found) {
  float values[port::lanes];
  port::store(values, v);
  found.add(values);
}

/// Every pattern of 16 bits, sixteen at a time, at addresses that are no multiple of a vector.
struct Patterns {
  std::uint16_t shorts[port::lanes + 1];
  explicit Patterns(std::uint32_t number) {
    for (std::uint32_t i = 0; i <= port::lanes; ++i) {
      shorts[i] = static_cast<std::uint16_t>(number * port::lanes + i - 1);
    }
  }
  [[nodiscard]] const std::uint16_t* at() const { return port_check::hidden(shorts + 1); }
};

void load_bytes(std::uint32_t number, Found& found) {
  std::int8_t bytes[port::lanes + 1];
  for (std::uint32_t i = 0; i <= port::lanes; ++i) bytes[i] = static_cast<std::int8_t>(number + 29 * i);
  keep(detail::load_int8(port_check::hidden(bytes + 1)), found);
}

void load_half_bytes(std::uint32_t number, Found& found) {
  std::uint8_t bytes[port::lanes / 2 + 1];
  for (std::uint32_t i = 0; i <= port::lanes / 2; ++i) bytes[i] = static_cast<std::uint8_t>(number + 29 * i);
  keep(detail::load_int4(port_check::hidden(bytes + 1)), found);
}

/// Rows of 1..41 numbers side by side, NaN after each; the panel stands between guards.
void turn_rows(std::uint32_t number, Found& found) {
  constexpr std::uint32_t most = 41;
  const std::uint32_t dim = 1 + number * 7 % most;
  const std::uint32_t count = 1 + number % 16;
  float numbers[port::lanes * (most + 1)];
  Numbers(number).fill(numbers, 2.0F);
  const float* rows[port::lanes] = {};
  for (std::uint32_t r = 0; r < count; ++r) {
    rows[r] = numbers + std::size_t{r} * (dim + 1);
    numbers[std::size_t{r} * (dim + 1) + dim] = nan;
  }
  float panel[(most + 2) * port::lanes];
  for (float& value : panel) value = -7.0F;
  detail::to_panel(rows, count, dim, number % 2 == 0 ? 1.0F : 0.3F, panel + port::lanes);
  found.add(std::span(panel).first((dim + 2) * port::lanes));
}

/// Up to three rows of 1..81 numbers, one of which is infinite or NaN in most cases; NaN lies between the rows.
void look_for_infinity(std::uint32_t number, Found& found) {
  constexpr std::uint32_t most = 81;
  const std::uint32_t dim = 1 + number % most;
  const std::uint32_t rows = 1 + number % 3;
  float numbers[3 * (most + 2)];
  Numbers random(number);
  random.fill(numbers, 1e30F);
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t d = dim; d < dim + 2; ++d) numbers[std::size_t{r} * (dim + 2) + d] = nan;
  }
  constexpr float odd[] = {nan, infinity, -infinity};
  if (number % 4 != 0) {
    numbers[std::size_t{random.between(0, rows - 1)} * (dim + 2) + random.between(0, dim - 1)] = odd[number % 3];
  }
  const auto stride = static_cast<std::ptrdiff_t>(dim + 2);
  found.add(detail::all_finite(numbers, stride, rows, dim) ? 1.0F : 0.0F);
}

/// 1..16 pairs, 1..3 apart, in place and elsewhere.
void rotate(std::uint32_t number, Found& found) {
  constexpr std::size_t most = 3 * port::lanes + 2;
  const std::uint32_t count = 1 + number % port::lanes;
  const auto step = static_cast<std::ptrdiff_t>(1 + number / port::lanes % 3);
  float x[most];
  float y[most];
  float turned_x[most];
  float turned_y[most];
  float cosines[port::lanes];
  float sines[port::lanes];
  Numbers random(number);
  random.fill(x, 4.0F);
  random.fill(y, 4.0F);
  random.fill(cosines, 1.0F);
  random.fill(sines, 1.0F);
  random.fill(turned_x, 1.0F);
  random.fill(turned_y, 1.0F);
  detail::rotate_pairs({x + 1, y + 1, step}, cosines, sines, count, {turned_x + 1, turned_y + 1, step});
  detail::rotate_pairs({x + 1, y + 1, step}, cosines, sines, count, {x + 1, y + 1, step});
  float neighbours[2 * port::lanes + 2];
  random.fill(neighbours, 4.0F);
  const detail::Pairs<float> pairs{neighbours + 1, neighbours + 2, 2};
  detail::rotate_pairs({pairs.x, pairs.y, pairs.step}, cosines, sines, count, pairs);
  found.add(x);
  found.add(y);
  found.add(turned_x);
  found.add(turned_y);
  found.add(neighbours);
}

/// 1..16 phases at a position: any, small ones too, and those in which a quarter turn ends or is mirrored, or beside
/// them.
void take_points(std::uint32_t number, Found& found) {
  const std::uint32_t count = 1 + number % port::lanes;
  detail::Phase steps[port::lanes];
  Numbers random(number);
  const auto bits32 = [&] { return random.bits16() << 16 | random.bits16(); };
  for (detail::Phase& step : steps) {
    const std::uint64_t any = std::uint64_t{bits32()} << 32 | bits32();
    step = number % 2 == 0 ? any >> random.between(0, 63) : (any >> 61 << 61) + random.between(0, 2) - 1;
  }
  const std::uint32_t position = number % 2 == 0 ? bits32() : 1;
  float cosines[port::lanes] = {};
  float sines[port::lanes] = {};
  detail::rotary_points(port_check::hidden(&steps[0]), position, count, number % 5 == 0 ? 1.25F : 1.0F, cosines, sines);
  found.add(cosines);
  found.add(sines);
}

/// Bytes of any number, from any address, of which a part may have been summed before.
void sum_bytes(std::uint32_t number, Found& found) {
  std::byte bytes[100];
  Numbers random(number);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits16() & 255);
  const std::uint32_t first = random.between(0, 16);
  const std::uint32_t count = number % 80;
  const std::uint32_t sum = detail::add_to_crc32(random.bits16() << 16, bytes + first, count);
  for (int shift = 0; shift < 32; shift += 16) found.add(static_cast<float>(sum >> shift & 0xFFFFU));
}

/// Sixteen columns or fewer of sixteen rows or fewer, as a vector each.
void take_columns(std::uint32_t number, Found& found) {
  constexpr std::uint32_t most = port::lanes;
  const std::uint32_t count = number % 2 == 0 ? most : 1 + number / 2 % most;
  const std::uint32_t columns = number % 4 < 2 ? most : 1 + number / 3 % most;
  float numbers[std::size_t{most} * (most + 1)];
  Numbers(number).fill(numbers, 2.0F);
  const float* rows[most] = {};
  for (std::uint32_t r = 0; r < count; ++r) {
    rows[r] = numbers + std::size_t{r} * (columns + 1);
    numbers[std::size_t{r} * (columns + 1) + columns] = nan;
  }
  float panel[std::size_t{most} * most];
  float taken[std::size_t{most} * most];
  detail::each_column(rows, count, columns, panel, [&](std::uint32_t k, const port::f32x16& column) {
    port::store(taken + std::size_t{k} * most, column);
  });
  found.add(std::span(taken).first(std::size_t{columns} * most));
}

constexpr Step steps[] = {
    {"load_int8", 256, load_bytes},
    {"load_int4", 256, load_half_bytes},
    {"load_half", 4096, [](std::uint32_t n, Found& found) { keep(detail::load_half(Patterns(n).at()), found); }},
    {"load_bfloat16", 4096,
     [](std::uint32_t n, Found& found) { keep(detail::load_bfloat16(Patterns(n).at()), found); }},
    {"to_panel", 16 * 41, turn_rows},
    {"each_column", 100, take_columns},
    {"all_finite", 81 * 6, look_for_infinity},
    {"rotate_pairs", 3 * port::lanes, rotate},
    {"rotary_points", 600, take_points},
    {"add_to_crc32", 400, sum_bytes},
};

}  // namespace

std::span<const Step> row_steps() {
  return steps;
}

}  // namespace heed::test
