// SPDX-License-Identifier: MIT
//
// Attention of a few rows over one key block, beside the product, the softmax and the product that it stands for.
#include <algorithm>
#include <cstddef>
#include <kernels/few_rows.hpp>
#include <kernels/softmax.hpp>
#include <kernels/weigh_while_scoring.hpp>
#include <limits>
#include <port.hpp>

#include "common/constants.hpp"
#include "firmware/data.hpp"
#include "ports/steps.hpp"
#include "product/gemm.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr std::uint32_t most_rows = 4;
constexpr std::uint32_t most_keys = 160;
constexpr std::uint32_t most_dim = 112;

float queries[std::size_t{most_rows} * most_dim];
float panels[std::size_t{most_keys} * most_dim];
float values[std::size_t{most_keys} * (most_dim + 3)];
float scores[std::size_t{most_rows} * most_keys];
float results[std::size_t{most_rows} * most_dim];

struct Weighed {
  float maxima[16];
  float sums[16];
};

/// Some keys, which need not begin or end with a panel, and a head and a value dimension of one to seven panels.
detail::RowPass make_pass(Numbers& random, std::uint32_t rows) {
  random.fill(queries, 2.0F);
  random.fill(panels, 2.0F);
  random.fill(values, 2.0F);
  std::fill(std::begin(scores), std::end(scores), -7.0F);
  const std::uint32_t begin = random.between(0, most_keys - 1);
  const std::uint32_t value_dim = random.between(1, 7) * 16;
  return {.rows = rows,
          .head_dim = random.between(1, 20),
          .value_dim = value_dim,
          .keys = {begin, random.between(begin + 1, most_keys)},
          .queries = queries,
          .panels = panels,
          .values = values,
          .value_row = static_cast<std::ptrdiff_t>(value_dim + random.between(0, 3)),
          .scores = scores,
          .score_row = most_keys};
}

/// What the keys of the pass are lets `scores` be: some of them -inf, as masks do.
void change_scores(Numbers& random, const detail::RowPass& pass) {
  for (std::uint32_t r = 0; r < pass.rows; ++r) {
    for (std::uint32_t key = pass.keys.begin; key < pass.keys.end; ++key) {
      if (random.bits16() % 5 == 0) scores[r * most_keys + key] = -std::numeric_limits<float>::infinity();
    }
  }
}

/// In place of a kernel: what the shared ones do.
void score_rows(const detail::RowPass& pass) {
  const std::uint32_t first = pass.keys.begin / 16 * 16;
  const auto head_dim = static_cast<std::ptrdiff_t>(pass.head_dim);
  detail::Gemm product{};
  product.a = pass.queries;
  product.a_row = head_dim;
  product.a_step = 1;
  product.b = pass.panels + first * head_dim;
  product.b_panel = 16 * head_dim;
  product.b_step = 16;
  product.c = pass.scores + first;
  product.c_row = pass.score_row;
  product.c_panel = 16;
  product.rows = pass.rows;
  product.columns = (pass.keys.end + 15) / 16 * 16 - first;
  product.depth = pass.head_dim;
  detail::multiply(product);
}

/// A template, because ports that weigh by rows have another softmax_row().
template <class Pass>
void weigh_rows(const Pass& pass, Weighed& weighed) {
  for (std::uint32_t r = 0; r < pass.rows; ++r) {
    if constexpr (!detail::softmax_by_rows) {
      detail::softmax_row(pass.scores + r * pass.score_row, pass.keys, weighed.maxima[r], weighed.sums[r]);
    }
  }
  detail::Gemm product{};
  product.a = pass.scores + pass.keys.begin;
  product.a_row = pass.score_row;
  product.a_step = 1;
  product.b = pass.values + pass.keys.begin * pass.value_row;
  product.b_panel = 16;
  product.b_step = pass.value_row;
  product.c = results;
  product.c_row = most_dim;
  product.c_panel = 16;
  product.rows = pass.rows;
  product.columns = pass.value_dim;
  product.depth = pass.keys.end - pass.keys.begin;
  detail::multiply(product);
}

/// Of ports that have the kernel; no other is asked.
void attend_few_rows(std::uint32_t number, Found& found) {
  Numbers random(number);
  const detail::RowPass pass = make_pass(random, 1 + number % most_rows);
  Weighed weighed{};
  const bool changed = number % 3 == 0;
  std::fill(weighed.maxima, weighed.maxima + 16, detail::lowest);
  const bool kernel = pass.rows <= detail::few_rows;
  if (kernel) {
    detail::score_few_rows(pass, weighed.maxima);
  } else {
    score_rows(pass);
  }
  if (changed) change_scores(random, pass);
  if (kernel) {
    if (changed) detail::find_few_maxima(pass, weighed.maxima);
    detail::weigh_few_rows(pass, weighed.maxima, weighed.sums, results, most_dim);
  } else {
    weigh_rows(pass, weighed);
  }
  found.add(weighed.maxima);
  found.add(weighed.sums);
  for (std::uint32_t r = 0; r < pass.rows; ++r) {
    const std::uint32_t first = pass.keys.begin / 16 * 16;
    found.add(std::span(scores).subspan(r * most_keys + first, (pass.keys.end + 15) / 16 * 16 - first));
    found.add(std::span(results).subspan(std::size_t{r} * most_dim, pass.value_dim));
  }
}

float next_queries[std::size_t{most_rows} * most_dim];
float next_panels[std::size_t{most_keys} * most_dim];
float next_scores[std::size_t{most_rows} * most_keys];

/// The weights of one key block while the next one is scored, which is of other keys and another head dimension, and
/// then the weights of that.
void weigh_while_scoring(std::uint32_t number, Found& found) {
  Numbers random(number);
  detail::RowPass weighed = make_pass(random, 1 + number % most_rows);
  weighed.keys.begin = 0;
  weighed.value_dim = 64;
  weighed.value_row = static_cast<std::ptrdiff_t>(weighed.value_dim + random.between(0, 3));
  detail::RowPass scored = weighed;
  scored.keys.end = random.between(1, most_keys);
  scored.head_dim = random.between(1, most_dim);
  scored.queries = next_queries;
  scored.panels = next_panels;
  scored.scores = next_scores;
  random.fill(next_queries, 0.5F);
  random.fill(next_panels, 2.0F);
  Weighed found_first{};
  Weighed found_next{};
  const bool kernel = weighed.rows <= detail::rows_weighed_while_scoring;
  if (kernel) {
    detail::score_few_rows(weighed, found_first.maxima);
    detail::weigh_while_scoring(weighed, found_first.maxima, found_first.sums, results, most_dim, scored,
                                found_next.maxima);
  } else {
    std::fill(found_first.maxima, found_first.maxima + 16, detail::lowest);
    std::fill(found_next.maxima, found_next.maxima + 16, detail::lowest);
    score_rows(weighed);
    weigh_rows(weighed, found_first);
    score_rows(scored);
  }
  const auto add_results = [&](const detail::RowPass& pass, const Weighed& statistics, const float* of) {
    found.add(statistics.maxima);
    found.add(statistics.sums);
    for (std::uint32_t r = 0; r < pass.rows; ++r) {
      found.add(std::span(of + r * most_keys, (pass.keys.end + 15) / 16 * 16));
      found.add(std::span(results).subspan(std::size_t{r} * most_dim, pass.value_dim));
    }
  };
  add_results(weighed, found_first, scores);
  if (kernel) {
    detail::weigh_few_rows(scored, found_next.maxima, found_next.sums, results, most_dim);
  } else {
    weigh_rows(scored, found_next);
  }
  add_results(scored, found_next, next_scores);
}

constexpr Step steps[] = {{"attention of a few rows", 240, attend_few_rows},
                          {"weights of a key block while the next is scored", 240, weigh_while_scoring}};

}  // namespace

std::span<const Step> few_rows_steps() {
  return steps;
}

}  // namespace heed::test
