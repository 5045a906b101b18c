// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and many keys, in whole tiles of queries.
#pragma once

#include <cstdint>
#include <kernels/integer_matrix.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// y = float(sum) * (scale * scale of the row) for whole panels of keys, if there are no other queries than those of a
/// tile.
[[nodiscard]] inline bool score_keys(const MatrixProduct& product) noexcept {
  if constexpr (!multiplies_in_tiles) return false;
  constexpr std::uint32_t height = query_tile_height;
  if (product.inputs > block_inputs || product.count > most_scaled_rows || product.count % height != 0) return false;
  multiply_tiles<DataType::int8, query_tile_height, false, false>(product, product.count);
  return true;
}

}  // namespace heed::detail
