// SPDX-License-Identifier: MIT
#pragma once

#include "formats/gguf.hpp"
#include "tokenizers/token_parts.hpp"

namespace heed::tools {

/// Whether a GGUF file says anything of a tokenizer.
[[nodiscard]] bool has_gguf_tokenizer(const Gguf& file);

/// The tokenizer that the keys tokenizer.ggml.* of a GGUF file say, read in the words of tokenizer.json, so that what
/// is made of either is the same: "llama", BPE of characters by scores, and "gpt2", BPE of bytes by merges. A Failure,
/// which begins with the file's name, names a key that is missing, not supported or not known.
[[nodiscard]] TokenParts read_gguf_tokenizer(const Gguf& file);

}  // namespace heed::tools
