// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cases/random_llama.hpp"

namespace heed::bench {

/// Writes a GGUF file of a Llama, or of a Qwen2 if it has biases: matrices as Q8_0 or Q4_0, in the steps that `llama`
/// was made of, everything else in float32, and no vocabulary but its size. Ends the program if it cannot be written,
/// or if a weight is not what its type holds.
void write_gguf(const std::filesystem::path& path, const ModelConfig& config, const RandomLlama& llama,
                GreatestStep greatest);

}  // namespace heed::bench
