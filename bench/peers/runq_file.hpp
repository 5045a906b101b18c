// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace heed::bench {

/// Writes the model file that llama2.c's runq reads, of int8 in groups of 32, from one of float32 that its run reads.
/// Where hidden_dim is no multiple of 32, zeros fill it up: the model is the same. Ends the program where there is no
/// such model.
void write_runq_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace heed::bench
