// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// As many rows as the greatest tile of integers has, and as plans make room for; weights of a layer stay in a cache
/// that all workers share.
inline constexpr std::uint32_t least_row_share = 16;

/// Not all pages of a mapped file are read equally fast, and a worker whose share has the slow ones holds up the
/// others: of a long matrix, as that of a model's outputs, each takes several parts, here and there.
inline constexpr std::uint32_t long_product_shares = 4;
inline constexpr std::uint32_t long_product = 256;

}  // namespace heed::detail
