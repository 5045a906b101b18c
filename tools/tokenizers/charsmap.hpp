// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace heed::tools {

inline constexpr std::size_t longest_change_key = 5;  ///< in bytes

/// What a precompiled_charsmap of sentencepiece changes, in base64: each key of at most 5 bytes of which no beginning
/// is a key, and what it becomes. Longer ones change nothing in Hugging Face's library. A Failure says what is wrong.
[[nodiscard]] std::map<std::string, std::string> read_charsmap(const std::string& base64);

}  // namespace heed::tools
