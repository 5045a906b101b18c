// SPDX-License-Identifier: MIT
//
// What only a file of version 2 has.
#pragma once

#include "text/token_sections.hpp"

namespace heed::detail {

/// Each says what is wrong, or null.
[[nodiscard]] const char* take_trie_sections(TokenFile file, TokenSections& sections) noexcept;
[[nodiscard]] const char* check_tries(TokenFile file) noexcept;

}  // namespace heed::detail
