// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/key_range.hpp"

namespace heed::detail {

/// A few rows and some keys of a key block, which every row sees; keys are float panels.
struct RowPass {
  std::uint32_t rows;
  std::uint32_t head_dim;
  std::uint32_t value_dim;
  KeyRange keys;         ///< not empty
  const float* queries;  ///< scaled, [rows, head_dim]
  const float* panels;   ///< [panels of 16 keys from key 0 on, head_dim, 16]
  const float* values;   ///< rows of value_dim floats from key 0 on, `value_row` floats apart
  std::ptrdiff_t value_row;
  float* scores;  ///< [rows, keys from key 0 on], `score_row` floats apart
  std::ptrdiff_t score_row;
};

}  // namespace heed::detail
