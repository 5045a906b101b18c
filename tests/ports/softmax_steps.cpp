// SPDX-License-Identifier: MIT
//
// The exponential, the softmax of a block in both layouts, and what joins the results of two blocks.
#include <bit>
#include <cstddef>
#include <kernels/exp2.hpp>
#include <kernels/merge.hpp>
#include <kernels/softmax.hpp>
#include <limits>
#include <port.hpp>

#include "firmware/data.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr std::uint32_t panels = 5;
constexpr std::uint32_t most_keys = panels * port::lanes;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Negative floats from -0 to infinity and NaN; a prime stride meets every low bit.
void take_exp2(std::uint32_t number, Found& found) {
  constexpr std::uint32_t stride = 49999;
  float x[port::lanes];
  for (std::uint32_t i = 0; i < port::lanes; ++i) {
    x[i] = std::bit_cast<float>(0x80000000U + (number * port::lanes + i) * stride);
  }
  port::store(x, detail::exp2_nonpositive(port::load(x)));
  found.add(x);
}

/// Some keys of up to five panels, which need not begin or end with one.
detail::KeyRange range(Numbers& random) {
  const std::uint32_t begin = random.between(0, most_keys - 1);
  return {begin, random.between(begin + 1, most_keys)};
}

void fill_scores(Numbers& random, std::span<float> scores) {
  random.fill(scores, 32.0F);
  for (float& score : scores) {
    if (random.bits16() % 11 == 0) score = -infinity;
  }
}

/// A row of scores side by side. Where it is one of any stride, nothing beside the keys that are seen is written; the
/// rest of their panels weighs 0 then, too.
template <class Float>
void softmax_of_row(Float* scores, detail::KeyRange seen, Float& maximum, Float& sum) {
  if constexpr (detail::softmax_by_rows) {
    detail::softmax_row(scores, 1, seen, maximum, sum);
    const std::uint32_t first = seen.begin / port::lanes * port::lanes;
    const std::uint32_t end = (seen.end + port::lanes - 1) / port::lanes * port::lanes;
    for (std::uint32_t key = first; key < seen.begin; ++key) scores[key] = 0.0F;
    for (std::uint32_t key = seen.end; key < end; ++key) scores[key] = 0.0F;
  } else {
    detail::softmax_row(scores, seen, maximum, sum);
  }
}

/// Sixteen rows, whose scores of one key lie side by side.
template <class Float>
void softmax_of_columns(Float* scores, detail::KeyRange keys, Float* maxima, Float* sums) {
  if constexpr (detail::softmax_by_rows) {
    for (std::uint32_t r = 0; r < port::lanes; ++r) {
      detail::softmax_row(scores + r, port::lanes, keys, maxima[r], sums[r]);
    }
  } else {
    static Float totals[std::size_t{port::lanes} * port::lanes];
    // Found by their arguments, and only where there are such functions.
    column_maxima(scores, keys, maxima);
    softmax_columns(scores, keys, maxima, totals, sums);
  }
}

void weigh_row(std::uint32_t number, Found& found) {
  float scores[most_keys];
  Numbers random(number);
  fill_scores(random, scores);
  const detail::KeyRange seen = range(random);
  float maximum = 0;
  float sum = 0;
  softmax_of_row(scores, seen, maximum, sum);
  found.add(scores);
  found.add(maximum);
  found.add(sum);
}

void weigh_columns(std::uint32_t number, Found& found) {
  static float scores[std::size_t{most_keys} * port::lanes];
  float maxima[port::lanes];
  float sums[port::lanes];
  Numbers random(number);
  fill_scores(random, scores);
  const detail::KeyRange keys = range(random);
  softmax_of_columns(scores, keys, maxima, sums);
  found.add(maxima);
  found.add(sums);
  found.add(scores);
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

constexpr Step steps[] = {
    {"exp2_nonpositive", 2684, take_exp2},
    {"softmax_row", 300, weigh_row},
    {"softmax of sixteen rows", 60, weigh_columns},
    {"merge_statistics", 100, join_statistics},
    {"merge_row", 8, join_rows},
};

}  // namespace

std::span<const Step> softmax_steps() {
  return steps;
}

}  // namespace heed::test
