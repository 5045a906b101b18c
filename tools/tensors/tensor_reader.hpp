// SPDX-License-Identifier: MIT
//
// The tensors of a model in its file, by their roles.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "formats/weight_file.hpp"
#include "heed/model.hpp"
#include "tensors/model_names.hpp"
#include "tensors/rounding_error.hpp"
#include "tensors/stored_tensor.hpp"

namespace heed::tools {

/// A matrix [rows, columns] as it goes into a model file: floats, or integers with the scale of each 32.
struct MatrixNumbers {
  std::vector<float> floats{};
  std::vector<std::int8_t> integers{};
  std::vector<std::uint16_t> scales{};
};

/// Is shown consecutive numbers of a tensor, the first of which is number `first` of the file's.
using SeePlaced = std::function<void(const TensorPlaces& places, std::size_t first, std::span<const float> numbers)>;

/// Finds the tensors of a model, which must have the shapes that it needs, and reads their numbers, or does not read
/// them and returns none.
class TensorReader {
 public:
  /// Without `errors`, numbers that are quantized in the file may not be rounded anew.
  TensorReader(const WeightFile& file, const ModelNames& names, const BlockConfig& config, bool reads,
               RoundingErrors* errors)
      : file_(file), names_(names), config_(config), reads_(reads), errors_(errors) {}

  [[nodiscard]] bool reads() const { return reads_; }
  [[nodiscard]] const WeightFile& file() const { return file_; }
  [[nodiscard]] const ModelNames& names() const { return names_; }

  /// Whether the file has a tensor. A name that was given must be there; one of a family is in every block or in none.
  [[nodiscard]] bool has(const std::string& role, std::uint32_t block) const;

  /// The tensor of a role, which has the shape that is needed for one of `shape`.
  std::string find(const std::string& role, std::uint32_t block, const Shape& shape);

  /// A tensor without a role of its own has been read.
  void use(const std::string& tensor) { used_.insert(tensor); }

  /// Shows the numbers of a role's tensor, in the order of the file. A Failure names one that cannot be of this type.
  void see(const std::string& role, std::uint32_t block, const Shape& shape, DataType type, const SeePlaced& see);

  /// The numbers of a tensor, row-major as [out, in].
  std::vector<float> take(const std::string& role, std::uint32_t block, const Shape& shape, DataType type);

  /// The numbers of a matrix, of which the plan may be a part.
  MatrixNumbers take_matrix(const std::string& role, std::uint32_t block, const Shape& shape, const LinearPlan& plan);

  /// What was not found of `blocks` blocks; a Failure if there is something that is not allowed.
  [[nodiscard]] std::vector<std::string> unused(std::uint32_t blocks, bool allowed, const std::string& json);

 private:
  std::vector<float> row_scales(const ModelNames::Name& name, std::uint32_t block, std::size_t rows);
  [[nodiscard]] bool are_kept(const std::string& role, const std::string& tensor, const LinearPlan& plan) const;
  void take_groups(const std::string& role, const std::string& tensor, const Shape& shape,
                   MatrixNumbers& numbers) const;

  const WeightFile& file_;
  const ModelNames& names_;
  const BlockConfig& config_;
  bool reads_;
  RoundingErrors* errors_;
  std::set<std::string> used_;
};

}  // namespace heed::tools
