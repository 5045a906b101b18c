// SPDX-License-Identifier: MIT
#include "support/nearest_word.hpp"

#include <algorithm>
#include <cstddef>

namespace heed::tools {

namespace {

/// Damerau's distance, in which no letter is edited twice.
std::size_t distance(std::string_view left, std::string_view right) {
  const std::size_t columns = right.size() + 1;
  std::vector<std::size_t> table((left.size() + 1) * columns);
  for (std::size_t i = 0; i <= left.size(); ++i) {
    for (std::size_t j = 0; j <= right.size(); ++j) {
      std::size_t* const here = &table[i * columns + j];
      if (i == 0 || j == 0) {
        *here = i + j;
        continue;
      }
      const std::size_t changed = *(here - columns - 1) + (left[i - 1] == right[j - 1] ? 0 : 1);
      *here = std::min({changed, *(here - columns) + 1, *(here - 1) + 1});
      const bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) *here = std::min(*here, *(here - 2 * columns - 2) + 1);
    }
  }
  return table.back();
}

}  // namespace

std::string nearest_word(std::string_view misspelt, const std::vector<std::string>& words) {
  constexpr std::size_t longest = 64;  // the table's size is the product of two lengths
  if (misspelt.size() > longest) return {};
  std::string nearest;
  std::size_t least = std::max<std::size_t>(misspelt.size() / 3, 1) + 1;
  for (const std::string& word : words) {
    const std::size_t edits = distance(misspelt, word);
    if (edits >= least) continue;
    least = edits;
    nearest = word;
  }
  return nearest;
}

}  // namespace heed::tools
