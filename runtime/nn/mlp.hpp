// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/format.hpp"
#include "heed/block.hpp"
#include "product/linear.hpp"

namespace heed::detail {

/// Whether hidden rows are rounded in the place of their floats, from 16 bytes before them on: where a row in integers
/// takes what its floats do, which is more than it needs.
[[nodiscard]] inline bool rounds_in_place(const MlpPlan& plan) noexcept {
  return plan.down.inputs > scale_group_size && plan.down.row_bytes == plan.down.inputs * sizeof(float);
}

/// What the MLP of a transformer block needs besides its rows.
struct Mlp {
  const BlockConfig& config;
  const MlpPlan& plan;
  Linear linear;
  std::byte* scratch;  ///< of the transformer block

  /// to = down(activation(up(from))), or down(activation(gate(from)) * up(from)). Both [count, model_dim], dense; they
  /// may be the same rows.
  void run(const float* from, std::uint32_t count, float* to) const noexcept;

 private:
  bool multiply_shared(const Linear& products, MapActivation* activate, const Rows<const float>& x, std::uint32_t rows,
                       float* gates, float* hidden) const noexcept;
  /// run(), with hidden rows that have `before` others before them.
  void run_rows(const Linear& products, std::size_t before, const float* from, std::uint32_t count,
                float* to) const noexcept;
};

}  // namespace heed::detail
