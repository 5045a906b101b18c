// SPDX-License-Identifier: MIT
//
// What trained tensors must not be, whatever their shapes are.
#pragma once

#include <span>
#include <string>

#include "heed/linear.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// A Failure that begins with `what` and names the first element that is NaN or infinite, or becomes so in weights of
/// this type: alone, or as the scale of its group. The values may be a part of an array of this shape, from number
/// `first` on.
void require_storable(const FloatArray& array, DataType type, const std::string& what, std::size_t first = 0);

/// A Failure that begins with `what` if a whole matrix [outputs, inputs] that has numbers other than 0 would be zeros
/// in weights of this type. Of groups alone, a line on standard error says how many would be: neurons that a training
/// has left unused are no mistake.
void require_kept(std::span<const float> matrix, std::size_t inputs, DataType type, const std::string& what);

/// A Failure that begins with `what` unless rows under this name are all queries, all keys, all values: some models
/// store those of one head after those of another.
void require_plain_order(const std::string& tensor, const std::string& what);

}  // namespace heed::tools
