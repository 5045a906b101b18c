// SPDX-License-Identifier: MIT
//
// The tensors of a model on their way from the maker's file into a model file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/model.hpp"
#include "tensors/model_writer.hpp"
#include "tensors/tensor_reader.hpp"

namespace heed::tools {

/// Looks for tensors, and puts them into a model file if there is one. Offsets in a plan count from `base`, in bytes of
/// the model file's weights.
class WeightPlacer {
 public:
  /// Without a writer, tensors are only looked for. `errors` as in a TensorReader.
  WeightPlacer(const WeightFile& file, const ModelNames& names, const ModelConfig& config, ModelWriter* to,
               RoundingErrors* errors)
      : tensors_(file, names, config.block, to != nullptr, errors), config_(config), to_(to) {}

  [[nodiscard]] TensorReader& tensors() { return tensors_; }
  [[nodiscard]] bool has(const std::string& role, std::uint32_t block) const { return tensors_.has(role, block); }

  /// Rows of a matrix, those of the plan from number `first` on.
  void put_rows(const LinearPlan& plan, std::size_t base, const MatrixNumbers& numbers, std::size_t first,
                const std::vector<float>& bias);
  void put(const std::string& role, std::uint32_t block, const Shape& shape, const Region& region, std::size_t base);

  /// Of model_dim, unless `dim` says otherwise.
  void put_norm(const std::string& role, std::uint32_t block, const NormPlan& plan, std::size_t base,
                std::size_t dim = 0);

  /// Empty without a bias in the plan or in the file, which is one of zeros.
  std::vector<float> take_bias(const std::string& role, std::uint32_t block, const LinearPlan& plan);

  /// With the bias of the role, or another.
  void put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base);
  void put_matrix(const std::string& role, std::uint32_t block, const LinearPlan& plan, std::size_t base,
                  const std::vector<float>& bias);

 private:
  TensorReader tensors_;
  const ModelConfig& config_;
  ModelWriter* to_;
};

}  // namespace heed::tools
