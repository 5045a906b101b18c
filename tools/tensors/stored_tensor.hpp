// SPDX-License-Identifier: MIT
//
// How a tensor of a model lies in a file, and in the model that is made of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heed/model.hpp"
#include "tensors/float_array.hpp"
#include "tensors/model_families.hpp"

namespace heed::tools {

/// [rows, columns] to [columns, rows].
[[nodiscard]] std::vector<float> transposed(const std::vector<float>& values, std::size_t rows, std::size_t columns);

/// [heads, 3, head_dim, columns] to [3, heads, head_dim, columns], where a row is `columns` numbers: the queries, keys
/// and values of each head, to all queries, all keys, all values.
[[nodiscard]] std::vector<float> sorted_by_kind(const std::vector<float>& values, std::size_t heads);

/// Each number with the fold, computed in float64 and rounded once.
void apply_fold(const TensorFold& fold, std::span<float> values);

/// Whether a role has rows of queries: all of its rows, or the first ones.
[[nodiscard]] bool begins_with_queries(const std::string& role);

/// Whether a stored shape stands for the needed one: class tokens and positions may begin with dimensions of 1, and the
/// convolution that projects patches, [out, channels, height, width], is a matrix [out, in].
[[nodiscard]] bool matches(const std::string& role, Shape stored, const Shape& needed);

/// What a tensor becomes in the model: matrices have the types of the configuration, everything else is in floats.
[[nodiscard]] DataType type_of(const std::string& role, const Shape& shape, const ModelConfig& config);

}  // namespace heed::tools
