// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "heed/model.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

/// A model file in the making: each tensor is put where the file has it, in any order. Offsets of regions and of plans
/// are those inside the file's part that begins at `base`.
class ModelWriter {
 public:
  /// `what` begins the messages of Failures.
  ModelWriter(const ModelPlan& plan, std::string what);

  /// Floats that stay floats; zeros where there are none.
  void put_floats(const Region& region, std::size_t base, std::span<const float> values);

  /// [outputs, inputs], rounded to the type that the plan says; a null bias means zeros.
  void put_matrix(const LinearPlan& plan, std::size_t base, const float* weight, const float* bias);

  /// The same of integers [outputs, inputs] and float16 scales [outputs, inputs / 32], which are taken as they are.
  void put_groups(const LinearPlan& plan, std::size_t base, const std::int8_t* integers, const std::uint16_t* scales,
                  const float* bias);

  /// The same of integers [outputs, inputs], multipliers [outputs, inputs / 32, rounded up] and scales [outputs].
  void put_multiplied(const LinearPlan& plan, std::size_t base, const std::int8_t* integers,
                      const std::int8_t* multipliers, const float* scales, const float* bias);

  /// The file, when every tensor is in it.
  [[nodiscard]] AlignedBytes finish();

 private:
  [[nodiscard]] std::span<std::byte> part(std::size_t base) { return file_.span().subspan(base); }

  const ModelPlan plan_;
  std::string what_;
  AlignedBytes file_;
};

}  // namespace heed::tools
