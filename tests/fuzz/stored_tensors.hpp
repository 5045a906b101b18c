// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/model_files.hpp"

namespace heed::test::fuzz {

/// A safetensors file in memory.
[[nodiscard]] inline std::string safetensors_file(const std::vector<StoredTensor>& tensors) {
  std::string header;
  std::string data;
  for (const StoredTensor& tensor : tensors) {
    std::string shape;
    for (const std::size_t size : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(size);
    header += (header.empty() ? "{\"" : ",\"") + tensor.name + R"(":{"dtype":")" + tensor.type + R"(","shape":[)" +
              shape + R"(],"data_offsets":[)" + std::to_string(data.size()) + ',';
    data += tensor.bytes;
    header += std::to_string(data.size()) + "]}";
  }
  header += header.empty() ? "{}" : "}";
  return bytes_of(std::vector<std::uint64_t>{header.size()}) + header + data;
}

/// The model with one block of four numbers a row, and three tokens where it reads any.
[[nodiscard]] inline ModelConfig small(ModelConfig config) {
  config.block.model_dim = 4;
  config.block.mlp_dim = 3;
  config.blocks = 1;
  if (config.input == ModelInput::tokens) config.input_dim = config.outputs = 3;
  return config;
}

[[nodiscard]] inline std::string llama_file() {
  return safetensors_file(stored_llama(TinyModel(small(tiny_llama), false)));
}

[[nodiscard]] inline std::string vit_file() {
  return safetensors_file(stored_vit(TinyModel(small(tiny_vit), true)));
}

}  // namespace heed::test::fuzz
