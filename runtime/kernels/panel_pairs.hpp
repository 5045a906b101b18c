// SPDX-License-Identifier: MIT
//
// Whether two panels of B are multiplied at once where rows are many and contiguous: two groups of queries are scored
// together then.
#pragma once

namespace heed::detail {

/// Panels of B that stay in a near cache while many rows pass by, 1 or 2; and, if 2, the rows of a tile of both.
inline constexpr int panels_at_once = 1;
inline constexpr int pair_rows = 0;

}  // namespace heed::detail
