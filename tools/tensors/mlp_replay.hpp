// SPDX-License-Identifier: MIT
//
// The rows inside of an MLP, which a model runs without showing.
#pragma once

#include <cstdint>
#include <vector>

#include "tensors/loaded_model.hpp"

namespace heed::tools {

/// One pass through an MLP.
struct ReplayedMlp {
  std::vector<float> read{};    ///< [rows, model_dim] that gate and up multiply
  std::vector<float> hidden{};  ///< [rows, mlp_dim] that down multiplies
};

/// Computes a block's MLP once more, as AttentionReplay does the attention, of a model with rows of float32. Of the
/// rows whose Stage::mlp has the values `shown` [rows, model_dim]; a Failure if they do not come out again, to the last
/// bit.
[[nodiscard]] ReplayedMlp replay_mlp(const LoadedModel& file, BoundModel& bound, std::uint32_t block,
                                     const float* shown, std::uint32_t rows);

}  // namespace heed::tools
