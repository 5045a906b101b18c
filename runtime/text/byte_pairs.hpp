// SPDX-License-Identifier: MIT
//
// Merges of the tokens of a word (byte-pair encoding).
#pragma once

#include <span>

#include "text/token_file.hpp"

namespace heed::detail {

/// What a word of this many tokens works in, beside the tokens themselves.
[[nodiscard]] constexpr std::size_t merge_words(std::size_t tokens) noexcept {
  return 3 * tokens;
}

/// Again and again, the leftmost of the neighbours whose merge has the lowest rank become one. The first `count` words
/// are the tokens, the rest room. Returns how many are left; 0 if the room does not suffice.
[[nodiscard]] std::uint32_t merge_pairs(TokenFile file, std::span<std::uint32_t> words, std::uint32_t count) noexcept;

}  // namespace heed::detail
