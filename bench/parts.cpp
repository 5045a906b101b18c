// SPDX-License-Identifier: MIT
//
// The three parts of attention on one key block and sixteen queries, which a near cache holds: what prefill would reach
// if nothing else took time.
#include <algorithm>
#include <cmath>
#include <gemm/multiply.hpp>
#include <kernels/softmax.hpp>

#include "data.hpp"
#include "measure.hpp"
#include "topics.hpp"

namespace heed::bench {
namespace {

constexpr std::uint32_t keys = heed::block_keys;
constexpr std::uint32_t queries = panel_width;

class Block {
 public:
  explicit Block(std::uint32_t head_dim)
      : dim_(head_dim),
        query_(some_floats(std::size_t{queries} * head_dim, 1)),
        key_(some_floats(std::size_t{keys} * head_dim, 2)),
        value_(some_floats(std::size_t{keys} * head_dim, 3)),
        scores_(std::size_t{keys} * queries),
        totals_(std::size_t{queries} * queries),
        maxima_(queries),
        sums_(queries),
        output_(std::size_t{queries} * head_dim) {
    const float factor = std::log2(std::exp(1.0F)) / std::sqrt(static_cast<float>(head_dim));
    for (float& number : query_) number *= factor;
  }

  /// Scores [keys, queries] = key [keys, head_dim] x query [head_dim, queries].
  void score() {
    std::fill(maxima_.begin(), maxima_.end(), detail::lowest);
    detail::Gemm product{.a = key_.data(),
                         .a_row = static_cast<std::ptrdiff_t>(dim_),
                         .a_step = 1,
                         .b = query_.data(),
                         .b_panel = 0,
                         .b_step = queries,
                         .c = scores_.data(),
                         .c_row = queries,
                         .c_panel = 0,
                         .start = nullptr,
                         .start_row = 0,
                         .rows = keys,
                         .columns = queries,
                         .depth = dim_,
                         .column_maxima = maxima_.data()};
    detail::multiply(product);
  }

  /// Without score() in between, the weights are weighed again, which takes as long.
  void weigh() { detail::softmax_columns(scores_.data(), {0, keys}, maxima_.data(), totals_.data(), sums_.data()); }

  /// Output [queries, head_dim], which the sums still have to divide.
  void add_values() {
    detail::Gemm product{.a = scores_.data(),
                         .a_row = 1,
                         .a_step = queries,
                         .b = value_.data(),
                         .b_panel = queries,
                         .b_step = static_cast<std::ptrdiff_t>(dim_),
                         .c = output_.data(),
                         .c_row = static_cast<std::ptrdiff_t>(dim_),
                         .c_panel = queries,
                         .start = nullptr,
                         .start_row = 0,
                         .rows = queries,
                         .columns = dim_,
                         .depth = keys};
    detail::multiply(product);
  }

  void run() {
    score();
    weigh();
    add_values();
  }

  /// The last query's output in double precision.
  void check(const std::string& name) const {
    const std::uint32_t query = queries - 1;
    double sum = 0;
    std::vector<double> output(dim_);
    for (std::uint32_t key = 0; key < keys; ++key) {
      double score = 0;
      for (std::uint32_t i = 0; i < dim_; ++i) {
        score += double{query_[std::size_t{i} * queries + query]} * double{key_[std::size_t{key} * dim_ + i]};
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
