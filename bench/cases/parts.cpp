// SPDX-License-Identifier: MIT
//
// The three parts of attention on one key block and sixteen queries, or the two groups of them that a port scores
// together, which a near cache holds: what prefill would reach if nothing else took time.
#include <algorithm>
#include <cmath>
#include <kernels/panel_pairs.hpp>
#include <kernels/softmax.hpp>
#include <product/gemm.hpp>

#include "cases/data.hpp"
#include "cases/topics.hpp"
#include "machine/measure.hpp"

namespace heed::bench {
namespace {

constexpr std::uint32_t keys = heed::block_keys;
constexpr std::uint32_t groups = detail::panels_at_once;
constexpr std::uint32_t queries = groups * panel_width;
constexpr std::size_t group_scores = std::size_t{keys} * panel_width;

class Block {
 public:
  explicit Block(std::uint32_t head_dim)
      : dim_(head_dim),
        query_(some_floats(std::size_t{queries} * head_dim, 1)),
        key_(some_floats(std::size_t{keys} * head_dim, 2)),
        value_(some_floats(std::size_t{keys} * head_dim, 3)),
        scores_(groups * group_scores),
        totals_(std::size_t{panel_width} * panel_width),
        maxima_(queries),
        sums_(queries),
        output_(std::size_t{queries} * head_dim) {
    const float factor = std::log2(std::exp(1.0F)) / std::sqrt(static_cast<float>(head_dim));
    for (float& number : query_) number *= factor;
  }

  /// Scores [groups, keys, 16] = key [keys, head_dim] x query [groups, head_dim, 16].
  void score() {
    std::fill(maxima_.begin(), maxima_.end(), detail::lowest);
    detail::Gemm product{.a = key_.data(),
                         .a_row = static_cast<std::ptrdiff_t>(dim_),
                         .a_step = 1,
                         .b = query_.data(),
                         .b_panel = static_cast<std::ptrdiff_t>(dim_) * panel_width,
                         .b_step = panel_width,
                         .c = scores_.data(),
                         .c_row = panel_width,
                         .c_panel = static_cast<std::ptrdiff_t>(group_scores),
                         .start = nullptr,
                         .start_row = 0,
                         .rows = keys,
                         .columns = queries,
                         .depth = dim_,
                         .column_maxima = maxima_.data()};
    detail::multiply(product);
  }

  /// The softmax of one group. Without score() in between, weights are weighed again, which takes as long.
  void weigh() { weigh_group(0); }

  /// Output [queries, head_dim], which the sums still have to divide.
  void add_values() {
    for (std::uint32_t g = 0; g < groups; ++g) add_values_of(g);
  }

  void run() {
    score();
    for (std::uint32_t g = 0; g < groups; ++g) {
      weigh_group(g);
      add_values_of(g);
    }
  }

  /// The last query's output in double precision.
  void check(const std::string& name) const {
    const std::uint32_t query = queries - 1;
    double sum = 0;
    std::vector<double> output(dim_);
    for (std::uint32_t key = 0; key < keys; ++key) {
      double score = 0;
      for (std::uint32_t i = 0; i < dim_; ++i) {
        const std::size_t at = (std::size_t{query / panel_width} * dim_ + i) * panel_width + query % panel_width;
        score += double{query_[at]} * double{key_[std::size_t{key} * dim_ + i]};
      }
      const double weight = std::exp2(score);
      sum += weight;
      for (std::uint32_t i = 0; i < dim_; ++i) output[i] += weight * double{value_[std::size_t{key} * dim_ + i]};
    }
    for (std::uint32_t i = 0; i < dim_; ++i) {
      const double found = double{output_[std::size_t{query} * dim_ + i]} / double{sums_[query]};
      if (!(std::abs(found - output[i] / sum) < 1e-5)) fail(name + ": a wrong result");
    }
  }

 private:
  void weigh_group(std::uint32_t group) {
    const std::size_t first = std::size_t{group} * panel_width;
    detail::softmax_columns(scores_.data() + group * group_scores, {0, keys}, &maxima_[first], totals_.data(),
                            &sums_[first]);
  }

  void add_values_of(std::uint32_t group) {
    detail::Gemm product{.a = scores_.data() + group * group_scores,
                         .a_row = 1,
                         .a_step = panel_width,
                         .b = value_.data(),
                         .b_panel = panel_width,
                         .b_step = static_cast<std::ptrdiff_t>(dim_),
                         .c = output_.data() + std::size_t{group} * panel_width * dim_,
                         .c_row = static_cast<std::ptrdiff_t>(dim_),
                         .c_panel = panel_width,
                         .start = nullptr,
                         .start_row = 0,
                         .rows = panel_width,
                         .columns = dim_,
                         .depth = keys};
    detail::multiply(product);
  }

  std::uint32_t dim_;
  Floats query_, key_, value_, scores_, totals_, maxima_, sums_, output_;
};

void add_part(const std::string& part, std::uint32_t head_dim, double products, void (Block::*call)()) {
  const std::string name = "part/" + part + "/d:" + std::to_string(head_dim);
  add_benchmark(name, {.flop = products * 2 * keys * queries * head_dim}, [=] {
    const auto block = std::make_shared<Block>(head_dim);
    block->run();
    block->check(name);
    return Subject{.call = [block, call] { (*block.*call)(); }};
  });
}

}  // namespace

void add_parts() {
  for (const std::uint32_t head_dim : {32U, 64U, 128U}) {
    add_part("scores", head_dim, 1, &Block::score);
    add_part("values", head_dim, 1, &Block::add_values);
    add_part("all", head_dim, 2, &Block::run);
  }
  add_part("softmax", 64, 0, &Block::weigh);
}

}  // namespace heed::bench
