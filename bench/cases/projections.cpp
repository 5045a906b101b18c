// SPDX-License-Identifier: MIT
//
// y = x W^T + b with packed weights, [N, d] x [d, d]: the query projection of a layer, on its own.
#include <product/linear.hpp>

#include "cases/data.hpp"
#include "cases/reference.hpp"
#include "cases/topics.hpp"
#include "machine/measure.hpp"

namespace heed::bench {
namespace {

class ProjectionCase {
 public:
  ProjectionCase(std::uint32_t dim, std::uint32_t rows)
      : dim_(dim),
        rows_(rows),
        weight_(some_floats(std::size_t{dim} * dim, 7)),
        bias_(some_floats(dim, 8)),
        tensors_(place_tensors(std::size_t{rows} * dim, 0, 0, std::size_t{rows} * dim, 0)) {
    expect(make_plan(MultiHeadConfig{.model_dim = dim, .heads = 1, .max_keys = 1}, plan_), "layer plan");
    packed_.resize(plan_.weights_bytes);
    MultiHeadWeights weights{
        .query = weight_.data(), .key = weight_.data(), .value = weight_.data(), .output = weight_.data()};
    weights.query_bias = bias_.data();
    expect(pack_weights(plan_, weights, packed_), "pack_weights()");
  }

  void run() const {
    const auto stride = static_cast<std::ptrdiff_t>(dim_);
    const Executor alone;
    const detail::Linear linear{packed_.data(), nullptr, nullptr, alone, 1};
    linear.multiply(plan_.query, {tensors_.query, stride}, rows_, {tensors_.output, stride});
  }

  void check(const std::string& name) const {
    for (const std::size_t row : {std::size_t{0}, std::size_t{rows_} / 2, std::size_t{rows_} - 1}) {
      check_projected_row(tensors_.query + row * dim_, {weight_.data(), static_cast<std::ptrdiff_t>(dim_)},
                          bias_.data(), dim_, dim_, tensors_.output + row * dim_, name);
    }
  }

 private:
  std::uint32_t dim_;
  std::uint32_t rows_;
  Floats weight_;
  Floats bias_;
  Tensors tensors_;
  MultiHeadPlan plan_;
  Bytes packed_;
};

void add_projection(std::uint32_t dim, std::uint32_t rows) {
  const std::string name = "projection/d:" + std::to_string(dim) + "/n:" + std::to_string(rows);
  const double weights = 1.0 * dim * dim;
  add_benchmark(name, {.flop = 2.0 * rows * weights, .bytes = rows == 1 ? weights * sizeof(float) : 0}, [=] {
    const auto measured = std::make_shared<ProjectionCase>(dim, rows);
    measured->run();
    measured->check(name);
    Subject subject{.call = [measured] { measured->run(); }};
    if (dim == 64 && rows == 1) {
      subject.parts_bandwidth = [bytes = weights * sizeof(float)] {
        const std::span<const float> matrix = floats_to_read(static_cast<std::size_t>(bytes) / sizeof(float));
        const double products = measure_multiply_bandwidth({.first = matrix, .block = matrix.size()}, 6, 1U << 22);
        return std::pair(products, products);
      };
    }
    return subject;
  });
}

}  // namespace

void add_projections() {
  for (const std::uint32_t dim : {64U, 128U, 256U, 512U, 1024U}) {
    for (const std::uint32_t rows : {1U, 16U, 99U, 512U}) add_projection(dim, rows);
  }
}

}  // namespace heed::bench
