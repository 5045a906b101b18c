// SPDX-License-Identifier: MIT
//
// What comes before and after a model's blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/model.hpp"
#include "heed/types.hpp"
#include "product/linear.hpp"

namespace heed::detail {

struct ModelEnds {
  const ModelConfig& config;
  const ModelFilePlan& plan;
  const std::byte* file;
  const Format* input_format;
  const Format* head_format;
  float* staging;
  const Executor& executor;
  std::uint32_t workers;

  /// Embeddings of tokens at positions from `first_position` on, as rows [tokens, model_dim].
  void embed(std::span<const std::uint32_t> tokens, std::uint32_t first_position, float* rows) const noexcept;

  /// Projections of frames [1, count, input_dim], after the class token, if there is one.
  void embed(ConstMatrix frames, std::uint32_t count, float* rows) const noexcept;

  /// The output [count, outputs] of rows [count, model_dim], which are normalized in place.
  void head(float* rows, std::uint32_t count, float* output) const noexcept;

  /// The output of an encoder's rows, pooled.
  void pool(float* rows, std::uint32_t count, float* output) const noexcept;

  // Their parts, of which the ends of extended models are made, too.

  [[nodiscard]] const float* floats(const Region& region) const noexcept {
    return reinterpret_cast<const float*>(file + region.offset);
  }
  /// Rows of the table, scaled.
  void load_tokens(std::span<const std::uint32_t> tokens, float* rows) const noexcept;
  /// What frames became, scaled.
  void project_frames(ConstMatrix frames, std::uint32_t count, float* rows) const noexcept;
  /// By embedding_scale.
  void scale(float* rows, std::size_t count) const noexcept;
  void finish_embedding(float* rows, std::uint32_t count, std::uint32_t first_position) const noexcept;
  void normalize(float* rows, std::uint32_t count) const noexcept;
  /// The mean of the rows, in the first one.
  void average(float* rows, std::uint32_t count) const noexcept;
  void project(const LinearPlan& linear_plan, const Format* format, Rows<const float> x, std::uint32_t count,
               float* y) const noexcept;
  void project_head(const float* rows, std::uint32_t count, float* output) const noexcept;
};

}  // namespace heed::detail
