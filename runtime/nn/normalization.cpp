// SPDX-License-Identifier: MIT
#include "nn/normalization.hpp"

#include <kernels/row_norms.hpp>
#include <port.hpp>

#include "common/validation.hpp"
#include "heed/arena.hpp"
#include "heed/nn.hpp"
#include "math/functions.hpp"

namespace heed {
namespace {

using port::f32x16;
using port::lanes;

/// The sum that join(index, count, lanes) makes of the row, vector by vector; the last one has `count` lanes or all.
template <class Join>
[[nodiscard]] float sum_of_row(std::uint32_t dim, const Join& join) noexcept {
  f32x16 total = port::set(0.0F);
  std::uint32_t i = 0;
  for (; i + lanes <= dim; i += lanes) total = join(i, lanes, total);
  if (i < dim) total = join(i, static_cast<int>(dim - i), total);
  return port::sum(total);
}

/// x - mean, and 0 in the lanes past `count`: the mean is taken from as many lanes as x.
[[nodiscard]] f32x16 partial_difference(const float* input, int count, const f32x16& mean) noexcept {
  float means[lanes];
  port::store(means, mean);
  return port::sub(port::load_partial(input, count), port::load_partial(means, count));
}

[[nodiscard]] float inverse_deviation(float sum, float count, float epsilon) noexcept {
  return port::quotient(1.0F, detail::square_root(port::sum(port::quotient(sum, count), epsilon)));
}

[[nodiscard]] Status check(const ConstMatrix& input, std::uint32_t rows, std::uint32_t dim,
                           std::span<const float> weight, float epsilon, const MutableMatrix& output) noexcept {
  if (rows == 0 || dim == 0) return Status::zero_dimension;
  if (rows > max_rows || dim > max_dimension) return Status::too_large;
  if (!(epsilon > 0.0F) || !detail::is_finite(epsilon)) return Status::bad_option;
  if (weight.data() == nullptr) return Status::null_pointer;
  Status status = detail::check_input(input, 1, rows, dim);
  if (status != Status::ok) return status;
  status = detail::check_output(output, 1, rows, dim);
  if (status != Status::ok) return status;
  return weight.size() == dim ? Status::ok : Status::bad_length;
}

}  // namespace

namespace detail {

void layer_norm_row(const float* input, std::uint32_t dim, const float* weight, const float* bias, float epsilon,
                    float* output) noexcept {
  if constexpr (has_row_norms) {
    if (layer_norm_by_port(input, dim, weight, bias, epsilon, output)) return;
  }
  using namespace port;
  const float count = as_float(dim);
  const f32x16 mean =
      set(compact_quotient(sum_of_row(dim,
                                      [&](std::uint32_t i, int n, const f32x16& total) noexcept {
                                        return add(total, n == lanes ? load(input + i) : load_partial(input + i, n));
                                      }),
                           count));
  const float squares = sum_of_row(dim, [&](std::uint32_t i, int n, const f32x16& total) noexcept {
    const f32x16 d = n == lanes ? sub(load(input + i), mean) : partial_difference(input + i, n, mean);
    return fma(d, d, total);
  });
  const f32x16 factor = set(inverse_deviation(squares, count, epsilon));
  std::uint32_t i = 0;
  for (; i + lanes <= dim; i += lanes) {
    const f32x16 scaled = mul(sub(load(input + i), mean), factor);
    store(output + i, bias != nullptr ? fma(scaled, load(weight + i), load(bias + i)) : mul(scaled, load(weight + i)));
  }
  if (i < dim) {
    const int n = static_cast<int>(dim - i);
    const f32x16 scaled = mul(sub(load_partial(input + i, n), mean), factor);
    const f32x16 weights = load_partial(weight + i, n);
    store_partial(output + i, bias != nullptr ? fma(scaled, weights, load_partial(bias + i, n)) : mul(scaled, weights),
                  n);
  }
}

void rms_norm_row(const float* input, std::uint32_t dim, const float* weight, float epsilon, float* output) noexcept {
  if constexpr (has_row_norms) {
    if (rms_norm_by_port(input, dim, weight, epsilon, output)) return;
  }
  using namespace port;
  const float squares = sum_of_row(dim, [&](std::uint32_t i, int n, const f32x16& total) noexcept {
    const f32x16 x = n == lanes ? load(input + i) : load_partial(input + i, n);
    return fma(x, x, total);
  });
  const f32x16 factor = set(inverse_deviation(squares, as_float(dim), epsilon));
  std::uint32_t i = 0;
  for (; i + lanes <= dim; i += lanes) store(output + i, mul(mul(load(input + i), factor), load(weight + i)));
  if (i < dim) {
    const int n = static_cast<int>(dim - i);
    store_partial(output + i, mul(mul(load_partial(input + i, n), factor), load_partial(weight + i, n)), n);
  }
}

}  // namespace detail

Status layer_norm(ConstMatrix input, std::uint32_t rows, std::uint32_t dim, std::span<const float> weight,
                  std::span<const float> bias, float epsilon, MutableMatrix output) noexcept {
  const Status status = check(input, rows, dim, weight, epsilon, output);
  if (status != Status::ok) return status;
  if (bias.data() != nullptr && bias.size() != dim) return Status::bad_length;
  for (std::uint32_t row = 0; row < rows; ++row) {
    detail::layer_norm_row(input.row(0, row), dim, weight.data(), bias.data(), epsilon, output.row(0, row));
  }
  return Status::ok;
}

Status rms_norm(ConstMatrix input, std::uint32_t rows, std::uint32_t dim, std::span<const float> weight, float epsilon,
                MutableMatrix output) noexcept {
  const Status status = check(input, rows, dim, weight, epsilon, output);
  if (status != Status::ok) return status;
  for (std::uint32_t row = 0; row < rows; ++row) {
    detail::rms_norm_row(input.row(0, row), dim, weight.data(), epsilon, output.row(0, row));
  }
  return Status::ok;
}

}  // namespace heed
