// SPDX-License-Identifier: MIT
//
// Kernels on rows: stored numbers, transposition, rotation, functions of a number, and what joins two results.
#include <bit>
#include <cstddef>
#include <kernels/close_columns.hpp>
#include <kernels/convert.hpp>
#include <kernels/crc32.hpp>
#include <kernels/each_column.hpp>
#include <kernels/finite.hpp>
#include <kernels/integer_sigmoid.hpp>
#include <kernels/map.hpp>
#include <kernels/merge.hpp>
#include <kernels/open_keys.hpp>
#include <kernels/rotary_points.hpp>
#include <kernels/rotate.hpp>
#include <kernels/sigmoid.hpp>
#include <kernels/transpose.hpp>
#include <limits>
#include <port.hpp>

#include "firmware/data.hpp"
#include "math/functions.hpp"
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

/// Rows of 1..41 numbers side by side, NaN behind each; the panel stands between guards.
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

struct Cube {
  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    return sub(mul(mul(x, x), x), x);
  }
};

/// Rows of 1..40 numbers, in place and elsewhere, with factors and without.
void map_numbers(std::uint32_t number, Found& found) {
  constexpr std::size_t room = 42;
  const std::uint32_t count = 1 + number % (room - 2);
  float from[room];
  float to[room];
  float scaled[room];
  float factors[room];
  Numbers random(number);
  random.fill(from, 3.0F);
  random.fill(to, 3.0F);
  random.fill(scaled, 3.0F);
  random.fill(factors, 3.0F);
  detail::map_row(from + 1, count, to + 1, Cube{});
  detail::map_scaled<Cube>(from + 1, number % 2 == 0 ? factors + 1 : nullptr, count, scaled + 1);
  detail::map_row(from + 1, count, from + 1, Cube{});
  found.add(to);
  found.add(scaled);
  found.add(from);
}

/// Floats all over the line, 0, the infinities and NaN among them.
void take_sigmoid(std::uint32_t number, Found& found) {
  float x[port::lanes];
  Numbers random(number);
  random.fill(x, number % 2 == 0 ? 128.0F : 2.0F);
  if (number == 0) {
    x[0] = 0.0F;
    x[1] = -0.0F;
    x[2] = infinity;
    x[3] = -infinity;
    x[4] = nan;
    x[5] = 87.33F;
    x[6] = -87.33F;
  }
  keep(detail::sigmoid_lanes(port::load(x)), found);
}

/// Sixteen rows, some of which have seen nothing on one side or on both.
void join_statistics(std::uint32_t number, Found& found) {
  constexpr float unseen = std::numeric_limits<float>::lowest();
  float block_maxima[port::lanes];
  float block_sums[port::lanes];
  float maxima[port::lanes];
  float sums[port::lanes];
  float before[port::lanes];
  Numbers random(number);
  random.fill(block_maxima, 64.0F);
  random.fill(block_sums, 8.0F);
  random.fill(maxima, 64.0F);
  random.fill(sums, 8.0F);
  for (std::size_t i = 0; i < port::lanes; ++i) {
    if (random.bits16() % 5 == 0) {
      block_maxima[i] = unseen;
      block_sums[i] = 0.0F;
    }
    if (random.bits16() % 5 == 0) {
      maxima[i] = unseen;
      sums[i] = 0.0F;
    }
    if (random.bits16() % 9 == 0) block_maxima[i] = nan;
  }
  detail::merge_statistics(block_maxima, block_sums, maxima, sums, before);
  for (const float* values : {maxima, sums, before, block_maxima}) found.add(std::span(values, port::lanes));
}

void join_rows(std::uint32_t number, Found& found) {
  constexpr std::uint32_t most = 5 * port::lanes;
  const std::uint32_t width = port::lanes * (1 + number % 4);
  float partial[most];
  float accumulator[most];
  float factors[2];
  Numbers random(number);
  random.fill(partial, 1.0F);
  random.fill(accumulator, 1.0F);
  random.fill(factors, 1.0F);
  detail::merge_row(partial, factors[0], factors[1], width, accumulator);
  found.add(accumulator);
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

/// A key block's part of a bool mask: all open or closed, but for up to three places, where some keys are the other.
void look_for_open_keys(std::uint32_t number, Found& found) {
  std::uint8_t bytes[block_keys];
  std::uint8_t bits[block_keys / 8] = {};
  Numbers random(number);
  const bool most = number % 2 == 0;
  for (std::uint8_t& byte : bytes) byte = most ? static_cast<std::uint8_t>(1 + random.bits16() % 255) : 0;
  for (std::uint32_t place = 0; place < number / 2 % 4; ++place) {
    const std::uint32_t first = random.between(0, block_keys - 1);
    const std::uint32_t end = random.between(first, block_keys);
    for (std::uint32_t key = first; key < end; ++key) bytes[key] = most ? 0 : 128;
  }
  detail::KeyRange open{block_keys, 0};
  std::uint32_t count = 0;
  for (std::uint32_t key = 0; key < block_keys; ++key) {
    if (bytes[key] == 0) continue;
    bits[key / 8] = static_cast<std::uint8_t>(bits[key / 8] | 1U << key % 8);
    if (count++ == 0) open.begin = key;
    open.end = key + 1;
  }
  if (count == 0) open = {};
  for (const bool as_bytes : {true, false}) {
    bool hole = false;
    detail::KeyRange seen = detail::open_keys(as_bytes ? bytes : bits, as_bytes, hole);
    if (!detail::has_open_keys) {
      seen = open;
      hole = count != open.end - open.begin;
    }
    found.add(static_cast<float>(seen.begin));
    found.add(static_cast<float>(seen.end));
    found.add(hole ? 1.0F : 0.0F);
  }
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

/// Scores of a key block of which a mask of bytes or bits closes every third key or so.
void close_keys(std::uint32_t number, Found& found) {
  static float scores[std::size_t{block_keys} * port::lanes];
  static std::uint8_t mask[port::lanes][block_keys];
  Numbers random(number);
  random.fill(scores, 8.0F);
  const bool bytes = number % 2 == 0;
  const std::uint32_t rows = 1 + number / 2 % port::lanes;
  const detail::KeyRange keys{random.between(0, block_keys - 1), block_keys - number % 5};
  const std::uint8_t* masks[port::lanes];
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint8_t& byte : mask[r]) byte = static_cast<std::uint8_t>(random.bits16() % 3 == 0 ? 0 : random.bits16());
    masks[r] = mask[r];
  }
  if constexpr (detail::has_close_columns) {
    float words[64];
    detail::close_columns(masks, rows, bytes, keys, scores, words);
  } else {
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::uint32_t part = bytes ? mask[r][key] : mask[r][key / 8] >> key % 8 & 1U;
        if (part == 0) scores[std::size_t{key} * port::lanes + r] = -infinity;
      }
    }
  }
  for (std::uint32_t key = 0; key < block_keys; ++key) {
    // The room takes all but one.
    if (key != number) found.add(std::span(scores).subspan(std::size_t{key} * port::lanes, rows));
  }
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
    {"open_keys", 200, look_for_open_keys},
    {"close_columns", 60, close_keys},
    {"rotate_pairs", 3 * port::lanes, rotate},
    {"rotary_points", 600, take_points},
    {"map_row, map_scaled", 80, map_numbers},
    {"sigmoid_lanes", 400, take_sigmoid},
    {"merge_statistics", 100, join_statistics},
    {"merge_row", 8, join_rows},
    {"add_to_crc32", 400, sum_bytes},
};

}  // namespace

std::span<const Step> row_steps() {
  return steps;
}

}  // namespace heed::test
