// SPDX-License-Identifier: MIT
//
// How a tensor of a model lies in a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heed/model.hpp"
#include "tensors/float_array.hpp"
#include "tensors/model_families.hpp"

namespace heed::tools {

/// Which of a model's numbers the numbers of a stored tensor are.
class TensorPlaces {
 public:
  /// `count` numbers are a tensor [rows, columns] of the model, or [rows].
  TensorPlaces(const BlockConfig& config, const Shape& shape, bool transposed, RowOrder order);

  /// Of the model, the row-major place of a stored number.
  [[nodiscard]] std::size_t operator()(std::size_t stored) const {
    const std::size_t at = transposed_ ? stored % rows_ * columns_ + stored / rows_ : stored;
    return order_ == RowOrder::plain ? at : row(at / columns_) * columns_ + at % columns_;
  }

  /// Of the model, the place of a stored row.
  [[nodiscard]] std::size_t row(std::size_t stored) const;

  [[nodiscard]] bool transposed() const { return transposed_; }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::size_t heads_;
  std::size_t head_rows_;
  bool transposed_;
  RowOrder order_;
};

/// Each number with the fold, computed in float64 and rounded once.
void apply_fold(const TensorFold& fold, std::span<float> values);

/// Each of the consecutive numbers of a matrix [rows, columns], the first of which is number `first` of the file's,
/// times the scale of its row.
void scale_rows(const TensorPlaces& places, std::size_t columns, std::size_t first, std::span<const float> scales,
                std::span<float> values);

/// Whether a role has rows of queries: all of its rows, or the first ones.
[[nodiscard]] bool begins_with_queries(const std::string& role);

/// Whether a stored shape stands for the needed one: class tokens and positions may begin with dimensions of 1, and the
/// convolution that projects patches, [out, channels, height, width], is a matrix [out, in].
[[nodiscard]] bool matches(const std::string& role, Shape stored, const Shape& needed);

}  // namespace heed::tools
