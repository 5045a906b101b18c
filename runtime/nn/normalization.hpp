// SPDX-License-Identifier: MIT
//
// Normalization of a row, defined to the bit. A sum over a row is kept in sixteen lanes, lane = index mod 16, each from
// 0 in ascending order; lanes past the end of the row add nothing; port::sum's tree joins the lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/block.hpp"
#include "product/row_shares.hpp"

namespace heed::detail {

/// output[i] = fma(d * factor, weight[i], bias[i]), or d * factor * weight[i] where bias is null, with
///   mean = sum of x / dim,
///   d = x[i] - mean,
///   variance = sum of d^2 / dim, where a lane adds d as fma(d, d, lane),
///   factor = 1 / sqrt(variance + epsilon).
/// Every operation is rounded once. input, weight, bias and output [dim], dim >= 1; output is input or apart from it.
void layer_norm_row(const float* input, std::uint32_t dim, const float* weight, const float* bias, float epsilon,
                    float* output) noexcept;

/// output[i] = x[i] * factor * weight[i], with factor = 1 / sqrt(sum of x^2 / dim + epsilon), where a lane adds x as
/// fma(x, x, lane).
void rms_norm_row(const float* input, std::uint32_t dim, const float* weight, float epsilon, float* output) noexcept;

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

  /// The same by several workers.
  void run(const float* from, std::uint32_t count, std::uint32_t dim, float* to, const Executor& executor,
           std::uint32_t workers) const noexcept {
    for_row_shares(executor, workers, count, [&](std::uint32_t, std::uint32_t first, std::uint32_t rows) noexcept {
      const std::size_t begin = std::size_t{first} * dim;
      run(from + begin, rows, dim, to + begin);
    });
  }
};

}  // namespace heed::detail
