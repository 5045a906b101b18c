// SPDX-License-Identifier: MIT
//
// How a tensor of a model lies in a file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tensors/float_array.hpp"

namespace heed::tools {

/// Whether a stored shape stands for the needed one: class tokens and positions may begin with dimensions of 1, and the
/// convolution that projects patches, [out, channels, height, width], is a matrix [out, in].
[[nodiscard]] bool matches(const std::string& role, Shape stored, const Shape& needed);

}  // namespace heed::tools
