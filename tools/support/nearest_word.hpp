// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::tools {

/// The word that is nearest to a misspelt one: letters that are missing, added, changed or swapped with the next count
/// one each. Empty if none is within a third of its length.
[[nodiscard]] std::string nearest_word(std::string_view misspelt, const std::vector<std::string>& words);

}  // namespace heed::tools
