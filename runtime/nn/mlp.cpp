// SPDX-License-Identifier: MIT
#include "nn/mlp.hpp"

#include <kernels/rows_of_products.hpp>

#include "format/format.hpp"
#include "nn/activation.hpp"

namespace heed::detail {

void Mlp::run(const float* from, std::uint32_t count, float* to) const noexcept {
  const std::size_t dim = config.model_dim;
  const std::size_t width = config.mlp_dim;
  auto* const hidden = reinterpret_cast<float*>(scratch + plan.hidden.offset);
  auto* const gates = reinterpret_cast<float*>(scratch + plan.gate_rows.offset);
  const bool floats = plan.down.row_type == DataType::float32;
  MapActivation* const activate = floats ? map_activation : linear.format->activate;
  const Rows<float> hidden_rows{hidden, static_cast<std::ptrdiff_t>(width)};
  for (std::uint32_t first = 0; first < count; first += rows_of_products(plan.rows)) {
    const std::uint32_t rows =
        count - first < rows_of_products(plan.rows) ? count - first : rows_of_products(plan.rows);
    const auto numbers = static_cast<std::uint32_t>(rows * width);
    const Rows<const float> x{from + first * dim, static_cast<std::ptrdiff_t>(dim)};
    linear.multiply(plan.up, x, rows, hidden_rows);
    if (config.gated) {
      linear.multiply(plan.gate, x, rows, {gates, hidden_rows.stride}, true);
      activate(config.activation, gates, hidden, numbers, hidden);
    } else {
      activate(config.activation, hidden, nullptr, numbers, hidden);
    }
    const Rows<const float> activated{hidden, hidden_rows.stride};
    linear.multiply(plan.down, activated, rows, {to + first * dim, x.stride});
  }
}

}  // namespace heed::detail
