// SPDX-License-Identifier: MIT
//
// What a normalizer changes by a list of texts, as sentencepiece's precompiled_charsmap has it.
#pragma once

#include "text/token_file.hpp"

namespace heed::detail {

/// Writes the code points of a text, changed by the file's list where it has one; false if there is no room for them.
/// As Hugging Face's library does it: of a grapheme cluster of less than 6 bytes the first change of what it begins
/// with takes the place of the whole; else each character is changed by itself.
[[nodiscard]] bool read_changed(TokenFile file, std::span<const char> text, std::span<std::uint32_t> room,
                                std::uint32_t& points) noexcept;

}  // namespace heed::detail
