// SPDX-License-Identifier: MIT
//
// The blocks of an extended model. Defined to the bit: with both norms x + norm2(f(norm1(x))), in parallel
// (x + attention(norm1(x))) + mlp(norm2(x)); every addition is rounded once.
#pragma once

#include <cstdint>

#include "heed/model.hpp"
#include "heed/types.hpp"

namespace heed::detail {

struct ExtendedBlocks {
  /// Whether `storage` names what the caches need beside those of other models: a window that hides something and a
  /// relative bias ask for the order of a ring's slots.
  bool (*caches_are_named)(const ModelPlan& plan, const KvStorage& storage) noexcept;

  /// Model::run_blocks(): rows [count, model_dim] at positions from `first` on.
  Status (*run)(Model& model, float* rows, std::uint32_t first, std::uint32_t count, const Executor& executor) noexcept;
};

/// In extended_blocks.cpp, which only the extension refers to: a program that does not name that does not link it.
extern const ExtendedBlocks extended_blocks;

}  // namespace heed::detail
