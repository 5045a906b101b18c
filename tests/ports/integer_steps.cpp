// SPDX-License-Identifier: MIT
//
// Rows rounded to integers, and the sums of their products with weights of every type.
#include <bit>
#include <cstddef>
#include <kernels/integer_sigmoid.hpp>
#include <kernels/integer_softmax.hpp>
#include <kernels/integer_sums.hpp>
#include <kernels/row_pairs.hpp>
#include <kernels/sparse_values.hpp>
#include <kernels/weigh_rows.hpp>

#include "ports/integer_room.hpp"
#include "ports/odd_numbers.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

using port_check::most_groups;
using port_check::most_inputs;
using port_check::most_rows;
using port_check::row_bytes;

template <DataType weights, DataType rows>
void run(std::uint32_t number, Found& found) {
  Numbers random(number);
  const std::uint32_t kind = number % 5 == 0 ? 1 + number / 5 % 5 : 0;
  fill_weights<weights>(random, kind);
  const std::uint32_t row_count = 1 + number % most_rows;
  const std::uint32_t inputs =
      kind != 0 ? 1024 + 8 * (number % 2) : random.between(1, number % 3 == 0 ? most_inputs : 200);
  const float most = detail::most_of_rows<rows>;
  for (std::uint32_t row = 0; row < row_count; ++row) {
    random.fill(room().x, 1.0F);
    for (std::uint32_t i = 0; kind != 0 && i < most_inputs; ++i) room().x[i] = kind == 4 && i % 2 == 1 ? -1.0F : 1.0F;
    detail::store_row<weights, rows>(room().x, most, inputs, room().rows + row * row_bytes);
  }
  detail::join_rows<rows>(room().rows, row_bytes, row_count, inputs);
  const std::uint32_t packed = (inputs + 7) / 8 * 8;
  const std::size_t input_bytes = weights == DataType::int4_multipliers ? 8 : 16;
  const std::uint32_t outputs = number % 2 == 0 ? panel_width : random.between(1, panel_width);
  for (std::uint32_t k = 0; k < packed; k += detail::block_inputs) {
    for (std::int32_t& sum : room().sums) sum = -7;
    for (std::uint32_t row = 0; row < row_count; row += detail::integer_rows) {
      const std::uint32_t left = row_count - row;
      detail::integer_sums<weights, rows>(
          {.weights = room().weights + k * input_bytes,
           .multipliers = room().multipliers + std::size_t{k} / 32 * 16,
           .first_row = room().rows + row * row_bytes,
           .row_bytes = row_bytes,
           .rows = left < detail::integer_rows ? left : detail::integer_rows,
           .first = k,
           .inputs = packed - k < detail::block_inputs ? packed - k : detail::block_inputs,
           .outputs = outputs,
           .sums = room().sums + std::size_t{row} * 16});
    }
    for (std::size_t i = 0; i <= std::size_t{row_count} * 16; ++i) {
      if (i % 16 >= outputs) continue;
      found.add(static_cast<float>(room().sums[i] >> 16));
      found.add(static_cast<float>(room().sums[i] & 0xFFFF));
    }
  }
}

constexpr std::uint32_t share_cases = 800 + 80;

constexpr std::uint32_t weigh_cases = 80;
constexpr std::uint32_t odd_weigh_cases = 160;

/// What a cache in integers may have as the scale of a value.
[[nodiscard]] float odd_value_scale(Numbers& random) {
  const float scale = odd_scale(random);
  if (scale != scale) return scale;
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(scale) & 0x7FFFFFFFU;
  return magnitude < 0x7F800000U ? std::bit_cast<float>(magnitude) : 1.0F;
}

/// Every weight of a softmax, and what a row of some scores weighs, in one piece or in two; from weigh_cases on with
/// odd scales.
void weigh(std::uint32_t number, Found& found) {
  Numbers random(number);
  constexpr std::uint32_t most_keys = 5 * panel_width;
  float* const scores = room().x;
  const float no_number = std::bit_cast<float>(number % 16 < 8 ? 0x7FC00000U : 0xFFC00000U);
  random.fill(std::span(room().x).first(most_keys), number % 2 == 0 ? 12.0F : 1.0F);
  for (std::uint32_t i = 0; i < most_keys; ++i) {
    if (random.bits16() % 11 == 0) scores[i] = detail::minus_infinity;
    if (number % 8 == 5 && i == number) scores[i] = no_number;
  }
  for (std::uint32_t i = 0; number == 0 && i < most_keys; ++i) scores[i] = -static_cast<float>(i) * 0x1p-8F;
  const bool all = number % 8 == 3;
  const std::uint32_t begin = all ? 0 : random.between(0, most_keys - 1);
  const detail::KeyRange seen{begin, all ? most_keys : random.between(begin + 1, most_keys)};
  // Scales of keys that weigh nothing may be anything.
  float* const scales = room().x + most_keys;
  random.fill(std::span(scales, most_keys), 1.0F);
  for (std::uint32_t i = 0; i < most_keys; ++i) {
    scales[i] = scales[i] < 0.0F ? -scales[i] : scales[i];
    if (scores[i] == detail::minus_infinity || (number % 16 == 7 && i == number))
      scales[i] = std::bit_cast<float>(0x7FC00000U);
    if (number >= weigh_cases && random.bits16() % (number % 2 == 0 ? 2 : 60) == 0) scales[i] = odd_value_scale(random);
  }
  detail::WeighedRow row{.maximum = detail::greatest_score(scores, seen)};
  // A NaN that is not the greatest, of four keys that weigh nothing.
  for (std::uint32_t i = 0; all && i < most_keys; ++i) {
    if (i / 4 % 4 != 1) continue;
    scores[i] = i % 4 == number / 8 % 4 ? no_number : detail::minus_infinity;
  }
  constexpr std::uint32_t middle = 2 * panel_width;
  if (number % 3 == 0 && seen.begin < middle && seen.end > middle) {
    detail::weigh_scores(scores, {seen.begin, middle}, scales, row);
    detail::weigh_scores(scores + middle, {0, seen.end - middle}, scales + middle, row);
  } else {
    detail::weigh_scores(scores, seen, scales, row);
  }
  found.add(row.sum);
  found.add(row.greatest);
  // Of a NaN, some find the greatest of the others, which others weigh by.
  if (row.sum != row.sum) return;
  found.add(row.maximum);
  const std::uint32_t first = begin / panel_width * panel_width;
  found.add(std::span(room().x).subspan(first, (seen.end + panel_width - 1) / panel_width * panel_width - first));
}

/// What several rows weigh, where some keys are not seen.
void weigh_several(std::uint32_t number, Found& found) {
  Numbers random(number);
  constexpr std::uint32_t several = 4;
  constexpr std::uint32_t keys = 3 * panel_width;
  constexpr std::ptrdiff_t score_row = 5 * panel_width;
  const std::uint32_t count = random.between(1, several);
  float* const scores = room().x;
  float* const scales = scores + several * score_row;
  random.fill(std::span(room().x).first(several * score_row + keys), number % 2 == 0 ? 12.0F : 1.0F);
  for (std::uint32_t i = 0; i < keys; ++i) scales[i] = scales[i] < 0.0F ? -scales[i] : scales[i];
  detail::WeighedRow rows[several]{};
  for (std::uint32_t r = 0; r < count; ++r) {
    float* const row = scores + r * score_row;
    const std::uint32_t begin = random.between(0, keys);
    for (std::uint32_t i = 0; i < begin; ++i) row[i] = detail::minus_infinity;
    if (number % 8 == 5 && r == 1) row[number % keys] = std::bit_cast<float>(0xFFC00000U);
    rows[r].maximum = detail::greatest_score(row, {0, keys});
  }
  if (number % 8 == 7) scales[number % keys] = std::bit_cast<float>(0x7FC00000U);
  detail::weigh_rows(scores, score_row, count, keys, scales, rows);
  for (std::uint32_t r = 0; r < count; ++r) {
    found.add(rows[r].sum);
    found.add(rows[r].greatest);
    if (rows[r].sum == rows[r].sum) found.add(std::span(room().x).subspan(r * score_row, score_row));
  }
}

/// Fours of weights that are rounded to 0, all or some of them, or none.
void sum_values(std::uint32_t number, Found& found) {
  Numbers random(number);
  fill_weights<DataType::int8>(random, number % 5);
  const std::uint32_t fours = random.between(1, 16) * 4;
  float* const p = room().x;
  random.fill(std::span(room().x).first(std::size_t{fours} * 4), 1.0F);
  for (std::uint32_t i = 0; i < fours * 4; ++i) {
    p[i] = p[i] < 0.0F ? -p[i] : p[i];
    const std::uint32_t bits = random.bits16();
    if (bits % 8 < number % 8) p[i & ~3U] = p[i] = bits % 3 == 0 ? 0x1p-16F : 0.0F;
  }
  detail::sum_sparse_values(p, fours, room().weights, room().sums, 16383.0F);
  for (std::uint32_t channel = 0; channel < 8; ++channel) found.add(std::bit_cast<float>(room().sums[channel]));
}

/// Steps of 2^-9 through all that is not 0 or 1, numbers half way between two that an argument is rounded to, random
/// ones, and the ends. A share of NaN may be any number.
void take_shares(std::uint32_t number, Found& found) {
  float x[port::lanes];
  Numbers random(number);
  random.fill(x, 16.0F);
  for (int i = 0; number < share_cases - 80 && i < port::lanes; ++i) {
    x[i] = static_cast<float>(static_cast<int>(number) * port::lanes + i - share_cases / 2 * port::lanes) * 0x1p-9F;
  }
  if (number == share_cases - 1) {
    x[0] = 0.0F;
    x[1] = -0.0F;
    x[2] = -detail::minus_infinity;
    x[3] = detail::minus_infinity;
    x[4] = std::bit_cast<float>(0x7FC00000U);
    x[5] = 0x1p-126F;
    x[6] = -detail::lowest;
    x[7] = detail::lowest;
  }
  const port::f32x16 taken = port::load(x);
  for (const port::f32x16& share : {detail::integer_sigmoid(taken), detail::integer_gaussian(taken)}) {
    float shares[port::lanes];
    port::store(shares, share);
    for (int i = 0; i < port::lanes; ++i) {
      if (x[i] == x[i]) found.add(shares[i]);
    }
  }
}

constexpr std::uint32_t cases = 120;

constexpr Step steps[] = {
    {"shares of activations in integers", share_cases, take_shares},
    {"weights of a softmax in integers", weigh_cases + odd_weigh_cases, weigh},
    {"weights of several rows in integers", 80, weigh_several},
    {"sums of values and sparse weights", 120, sum_values},
    {"int8 weights, int8 rows", cases, run<DataType::int8, DataType::int8>},
    {"int8 weights, int16 rows", cases, run<DataType::int8, DataType::int16>},
    {"int8 weights with multipliers, int8 rows", cases, run<DataType::int8_multipliers, DataType::int8>},
    {"int8 weights with multipliers, int16 rows", cases, run<DataType::int8_multipliers, DataType::int16>},
    {"int4 weights with multipliers, int8 rows", cases, run<DataType::int4_multipliers, DataType::int8>},
    {"int4 weights with multipliers, int16 rows", cases, run<DataType::int4_multipliers, DataType::int16>},
};

}  // namespace

std::span<const Step> integer_steps() {
  return steps;
}

}  // namespace heed::test
