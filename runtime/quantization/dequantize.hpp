// SPDX-License-Identifier: MIT
//
// Numbers in few bits, as the floats that the kernels read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/kv_cache.hpp"

namespace heed::detail {

/// Panels or rows: `count` of them, of `elements` elements each.
struct QuantizedBlock {
  std::size_t count;
  std::size_t elements;
  bool panels;  ///< a scale for each lane, otherwise one for all
};

/// Every element of a block, of any type but float32, as a float. `by_channel`: int8 panels with a scale for each
/// vector; otherwise each panel or row has scales of its own.
void dequantize(DataType storage, bool by_channel, const std::byte* from, const std::byte* scales, QuantizedBlock block,
                float* to) noexcept;

}  // namespace heed::detail
