// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/types.hpp"
#include "transformer/model_ends.hpp"

namespace heed::detail {

/// rows [(count + 1) / 2, model_dim] of frames [1, count, input_dim]. Row r of the first convolution is the GELU of W
/// times the frames r - 1, r and r + 1, one after the other, those that are not there zeros; row r of the second is
/// that of W times the rows 2r - 1, 2r and 2r + 1 of the first, likewise: linear layers like others, to the bit.
/// `scratch` has convolution_bytes().
void convolve(const ModelEnds& ends, ConstMatrix frames, std::uint32_t count, float* scratch, float* rows) noexcept;

}  // namespace heed::detail
