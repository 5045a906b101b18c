// SPDX-License-Identifier: MIT
#include "nn/mlp.hpp"

#include <kernels/rows_of_products.hpp>
#include <kernels/wanted_rows.hpp>

#include "format/format.hpp"
#include "nn/activation.hpp"

namespace heed::detail {

/// Both products before the activation, and that, each worker for its own outputs; false where that is not possible.
[[gnu::always_inline]] inline bool Mlp::multiply_shared(const Linear& products, MapActivation* activate,
                                                        const Rows<const float>& x, std::uint32_t rows, float* gates,
                                                        float* hidden) const noexcept {
  if constexpr (least_row_share != 0) {
    if (!config.gated || !products.has_workers()) return false;
    const std::size_t width = config.mlp_dim;
    const auto stride = static_cast<std::ptrdiff_t>(width);
    products.multiply_pair(plan.gate, {gates, stride}, plan.up, {hidden, stride}, x, rows,
                           [&](std::uint32_t first, std::uint32_t end) noexcept {
                             for (std::size_t row = 0; row < rows && first != end; ++row) {
                               float* const to = hidden + row * width + first;
                               activate(config.activation, gates + row * width + first, to, end - first, to);
                             }
                           });
    return true;
  }
  return false;
}

[[gnu::always_inline]] inline void Mlp::run_rows(const Linear& products, std::size_t before, const float* from,
                                                 std::uint32_t count, float* to) const noexcept {
  const std::size_t dim = config.model_dim;
  const std::size_t width = config.mlp_dim;
  auto* const hidden = reinterpret_cast<float*>(scratch + plan.hidden.offset) + before * width;
  auto* const gates = reinterpret_cast<float*>(scratch + plan.gate_rows.offset) + before * width;
  const bool floats = plan.down.row_type == DataType::float32;
  MapActivation* const activate = floats ? map_activation : products.format->activate;
  const Rows<float> hidden_rows{hidden, static_cast<std::ptrdiff_t>(width)};
  const bool rounds = plan.up.row_bytes != 0 || plan.down.row_bytes != 0;
  const std::uint32_t at_once = rounds ? rows_of_products(plan.rows) : plan.rows;
  for (std::uint32_t first = 0; first < count; first += at_once) {
    const std::uint32_t left = count - first;
    const std::uint32_t rows = left < at_once ? left : at_once;
    const auto numbers = static_cast<std::uint32_t>(rows * width);
    const Rows<const float> x{from + first * dim, static_cast<std::ptrdiff_t>(dim)};
    if (multiply_shared(products, activate, x, rows, gates, hidden)) {
      products.multiply(plan.down, {hidden, hidden_rows.stride}, rows, {to + first * dim, x.stride});
      continue;
    }
    products.multiply(plan.up, x, rows, hidden_rows);
    if (config.gated) {
      products.multiply(plan.gate, x, rows, {gates, hidden_rows.stride}, true);
      activate(config.activation, gates, hidden, numbers, hidden);
    } else {
      activate(config.activation, hidden, nullptr, numbers, hidden);
    }
    const Rows<const float> activated{hidden, hidden_rows.stride};
    if constexpr (wanted_rows != 0) {
      if (rounds_in_place(plan)) {
        const Linear own{products.packed, products.format, hidden - 4, products.executor, 1};
        own.multiply(plan.down, activated, rows, {to + first * dim, x.stride});
        continue;
      }
    }
    products.multiply(plan.down, activated, rows, {to + first * dim, x.stride});
  }
}

void Mlp::run(const float* from, std::uint32_t count, float* to) const noexcept {
  if constexpr (least_row_share != 0) {
    const std::uint32_t workers = linear.workers;
    if (shares_rows(linear.executor, workers, count)) {
      for_row_shares(linear.executor, workers, count, true,
                     [&](std::uint32_t worker, std::uint32_t first, std::uint32_t rows) noexcept {
                       const std::size_t begin = std::size_t{first} * config.model_dim;
                       const Linear own = linear.of_worker(worker, plan.staging);
                       run_rows(own, std::size_t{worker} * plan.rows, from + begin, rows, to + begin);
                     });
      return;
    }
  }
  run_rows(linear, 0, from, count, to);
}

}  // namespace heed::detail
