// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::tools {

/// The maps of one kind of attention, by block and head.
struct AttentionMaps {
  std::string title;  ///< "Self-attention"
  std::uint32_t heads = 0;
  std::uint32_t queries = 0;
  std::uint32_t keys = 0;
  std::vector<std::string> rows;           ///< a label for each query
  std::vector<std::string> columns;        ///< a label for each key
  std::vector<std::vector<float>> blocks;  ///< [blocks][heads, queries, keys], of weights
};

/// Weights that a picture shows at most: about as much as programs draw without making their reader wait.
inline constexpr std::size_t most_shown_weights = std::size_t{1} << 20;

/// One SVG picture, at most 1600 pixels wide: for each block its heads, four side by side, with a colour scale that
/// they share. Where cells are too small for it, every n-th row and column has a label. Of more rows and columns than
/// there is room for, it has the first, and says so. `notes` are lines below the heading.
[[nodiscard]] std::string to_svg(std::span<const AttentionMaps> kinds, const std::string& heading,
                                 std::vector<std::string> notes);

}  // namespace heed::tools
