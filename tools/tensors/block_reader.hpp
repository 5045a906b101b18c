// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/model.hpp"
#include "tensors/weight_placer.hpp"

namespace heed::tools {

/// The tensors of one block, whose weights begin at `base`. Files have query, key and value apart or as one matrix,
/// gate and up likewise.
void put_block(WeightPlacer& weights, const BlockPlan& plan, std::uint32_t block, std::size_t base);

}  // namespace heed::tools
