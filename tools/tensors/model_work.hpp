// SPDX-License-Identifier: MIT
//
// What the machine has to do for a model at least: its products with weights, and the bytes that a token reads.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/model.hpp"

namespace heed::tools {

/// Products of one kind. Those of rows of float32 are one kind, multiply-adds of floats, with weights of float32 here.
struct Products {
  DataType weights;
  DataType rows;
  double count;
};

/// A few kinds, each once.
using Work = std::vector<Products>;

/// Of so many tokens or frames that go in at once.
[[nodiscard]] Work prompt_work(const ModelPlan& plan, std::uint32_t count);

/// Of so many rows that cross-attention looks at: their keys and values in every block.
[[nodiscard]] Work context_work(const ModelPlan& plan, std::uint32_t count);

/// Bytes of the model file that one decoded token reads: all but the embedding table, where that is not the head, and
/// what makes keys and values of the context.
[[nodiscard]] double token_bytes(const ModelPlan& plan);

}  // namespace heed::tools
