// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace heed::tools {

/// Code points at which \w of regular expressions begins and ends by turns, ascending: Alphabetic, marks, decimal
/// numbers, connectors and joiners.
[[nodiscard]] std::vector<std::uint32_t> word_letter_flips();

}  // namespace heed::tools
