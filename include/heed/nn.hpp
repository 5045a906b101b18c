// SPDX-License-Identifier: MIT
//
// Activations, and norms, which bring rows to unit scale: layer normalization (Ba, Kiros and Hinton 2016,
// arXiv:1607.06450) and root mean square normalization (Zhang and Sennrich 2019, arXiv:1910.07467).
#pragma once

#include <cstdint>
#include <span>

#include "heed/heed_model_config.h"
#include "heed/types.hpp"

namespace heed {

/// output = (x - mean) / sqrt(variance + epsilon) * weight + bias, for each row x of input [1, rows, dim]; mean and
/// variance are those of the row, the variance divided by dim (biased). weight [dim]; bias [dim], or empty for none;
/// output [1, rows, dim] is the input itself, with the same stride, or does not overlap it.
///
/// A row depends on itself alone. Its numbers are at most 2^55 in magnitude; beyond that the variance may overflow, and
/// the results may be the bias, or NaN. NaN or infinity in a row makes all of it NaN, unless the variance overflows.
///
/// dim is at most 65536, rows at most 2^30, epsilon positive and finite; with more than one row, |output.row_stride| is
/// at least dim.
/// Statuses: zero_dimension, too_large, bad_option (epsilon), null_pointer, bad_stride, bad_length (the size of weight
/// or bias).
[[nodiscard]] Status layer_norm(ConstMatrix input, std::uint32_t rows, std::uint32_t dim, std::span<const float> weight,
                                std::span<const float> bias, float epsilon, MutableMatrix output) noexcept;

/// output = x / sqrt(mean of x^2 + epsilon) * weight: the same without mean and bias. Statuses as of layer_norm().
[[nodiscard]] Status rms_norm(ConstMatrix input, std::uint32_t rows, std::uint32_t dim, std::span<const float> weight,
                              float epsilon, MutableMatrix output) noexcept;

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
