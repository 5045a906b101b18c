// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

/// Each is x times a number from 0 to 1: -inf gives 0, +inf gives +inf, NaN stays NaN, and a zero keeps its sign. The
/// errors are in units in the last place; results between -2^-119 and 0 may be 0 where x is below -1. E is the exponent
/// with which the tail falls as e^-E, and 0 for x > 0. Every error is at most 1.6e-7 |x|.
enum class Activation : std::uint8_t {
  relu,       ///< max(x, 0), exact
  gelu_tanh,  ///< x / 2 (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x^3), arXiv:1606.08415; 5.2 + 2.6 E, E = -2 y
  gelu_erf,   ///< x / 2 (1 + erf(x / sqrt(2))), the same paper; within 9 + 4.5 E, E = x^2 / 2
  silu,       ///< x / (1 + e^-x), also called swish, arXiv:1702.03118; within 3.5
};

/// x = activation(x) for every element of x [1, rows, dim], in place. dim is at most 65536, rows at most 2^30; with
/// more than one row, |x.row_stride| is at least dim. Statuses: zero_dimension, too_large, bad_option (no such
/// activation), null_pointer, bad_stride.
[[nodiscard]] Status activate(Activation kind, MutableMatrix x, std::uint32_t rows, std::uint32_t dim) noexcept;

/// values = activation(gate) * values for every element of values [1, rows, dim], in place: the gated linear units of
/// arXiv:2002.05202, where gate and values are two projections of the same rows. gate [1, rows, dim] may be the columns
/// beside the values, or the values themselves, with the same stride; otherwise it does not overlap them.
/// Limits and statuses as of activate().
[[nodiscard]] Status gated(Activation kind, ConstMatrix gate, MutableMatrix values, std::uint32_t rows,
                           std::uint32_t dim) noexcept;

}  // namespace heed
