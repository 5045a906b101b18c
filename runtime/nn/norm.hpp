// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/block.hpp"
#include "nn/normalization.hpp"

namespace heed::detail {

/// The norm of a transformer block or a model, with its parameters.
struct NormRows {
  Norm kind;
  float epsilon;
  const float* weight;
  const float* bias;

  NormRows(const BlockConfig& config, const NormPlan& plan, const std::byte* weights) noexcept
      : kind(config.norm),
        epsilon(config.norm_epsilon),
        weight(reinterpret_cast<const float*>(weights + plan.weight.offset)),
        bias(reinterpret_cast<const float*>(weights + plan.bias.offset)) {}

  /// from and to [count, dim], dense; they may be the same rows.
  void run(const float* from, std::uint32_t count, std::uint32_t dim, float* to) const noexcept {
    for (std::size_t row = 0; row < count; ++row) {
      const float* const x = from + row * dim;
      float* const y = to + row * dim;
      if (kind == Norm::rms_norm) {
        rms_norm_row(x, dim, weight, epsilon, y);
      } else {
        layer_norm_row(x, dim, weight, bias, epsilon, y);
      }
    }
  }
};

}  // namespace heed::detail
