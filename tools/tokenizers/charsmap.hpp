// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace heed::tools {

/// What a precompiled_charsmap of sentencepiece changes, in base64: each key of at most 5 bytes of which no beginning
/// is a key, and what it becomes. Longer ones change nothing in Hugging Face's library. A Failure says what is wrong.
[[nodiscard]] std::map<std::string, std::string> read_charsmap(const std::string& base64);

}  // namespace heed::tools
