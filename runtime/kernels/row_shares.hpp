// SPDX-License-Identifier: MIT
//
// Whether workers share out the rows of a call: where they do, each takes its rows through all that needs no others.
#pragma once

#include <cstdint>

namespace heed::detail {

/// Fewest rows of a worker, which reads all weights for them; with fewer, workers share out the outputs of a product.
/// 0: they always do; others are no fewer than a plan's least_own_rows.
inline constexpr std::uint32_t least_row_share = 0;

/// Shares of a worker in a product of at least long_product panels for each.
inline constexpr std::uint32_t long_product_shares = 1;
inline constexpr std::uint32_t long_product = 0;

}  // namespace heed::detail
