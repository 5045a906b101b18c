// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/heed_model_config.h"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

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
