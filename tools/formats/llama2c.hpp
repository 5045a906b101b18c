// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "formats/input_file.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// A model in the format of llama2.c, version 0: seven int32 (dim, hidden_dim, n_layers, n_heads, n_kv_heads,
/// vocab_size, seq_len) and the tensors as float32, little-endian. A Failure names the file and the field. A type
/// of weights stands for float32 in every matrix.
[[nodiscard]] ModelTensors read_llama2c(const std::filesystem::path& file, const StoredTypes& types);

/// The same from the bytes of a file of this name, which stay where they are: those of `mapped`, if there is one.
[[nodiscard]] ModelTensors read_llama2c(std::string_view bytes, const std::string& name, const StoredTypes& types,
                                        const std::shared_ptr<const MappedFile>& mapped = nullptr);

}  // namespace heed::tools
