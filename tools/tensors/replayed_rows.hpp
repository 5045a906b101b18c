// SPDX-License-Identifier: MIT
//
// Parts of a block computed once more by the library's functions, to the library's bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/model.hpp"

namespace heed::tools {

/// Norms rows [, dim] in place by a norm of the block whose weights begin at `weights`.
void replay_norm(const BlockConfig& config, const NormPlan& norm, const std::byte* weights, std::uint32_t dim,
                 std::vector<float>& rows);

/// [rows, plan.outputs] of rows [rows, plan.inputs].
[[nodiscard]] std::vector<float> replay_product(const LinearPlan& plan, const PackedWeights& weights,
                                                std::uint32_t rows, const std::vector<float>& from);

/// A Failure that begins with the block and its stage if what was computed is not what the model computed, to the last
/// bit; NaN is NaN.
void require_replayed(const std::vector<float>& computed, const float* shown, std::uint32_t block, Stage stage);

}  // namespace heed::tools
