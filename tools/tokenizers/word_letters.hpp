// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace heed::tools {

/// Code points at which \w of regular expressions begins and ends by turns, ascending: Alphabetic, marks, decimal
/// numbers, connectors and joiners.
[[nodiscard]] std::vector<std::uint32_t> word_letter_flips();

/// Runs of code points of one detail::CharacterClass, ascending: the first of each << 3 | class.
[[nodiscard]] std::vector<std::uint32_t> character_classes();

}  // namespace heed::tools
