// SPDX-License-Identifier: MIT
//
// How text is split into words before bytes are merged: the regular expressions of GPT-2, also between
// digits (SmolLM), Llama 3, Qwen2, GPT-4o, Tekken and DeepSeek-V3, by hand.
#pragma once

#include <span>

#include "text/token_file.hpp"

namespace heed::detail {

/// Bytes of the word at the front of a text that is not empty, as the file splits it.
[[nodiscard]] std::size_t first_word(TokenFile file, std::span<const char> text) noexcept;

}  // namespace heed::detail
