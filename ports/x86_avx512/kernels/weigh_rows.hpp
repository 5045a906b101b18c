// SPDX-License-Identifier: MIT
//
// The weights of a softmax in integers of several rows and the same keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_softmax.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Rows that weigh_rows() takes at once, at most.
inline constexpr std::uint32_t weighed_rows = 4;

/// weigh_some() of `count` rows, 1..weighed_rows.
inline void weigh_rows(float* scores, std::ptrdiff_t score_row, std::uint32_t count, std::uint32_t keys,
                       const float* scales, WeighedRow* rows) noexcept {
  switch (count) {
    case 1: return weigh_some<1>(scores, score_row, keys, scales, rows);
    case 2: return weigh_some<2>(scores, score_row, keys, scales, rows);
    case 3: return weigh_some<3>(scores, score_row, keys, scales, rows);
    default: return weigh_some<4>(scores, score_row, keys, scales, rows);
  }
}

}  // namespace heed::detail
