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

}  // namespace heed::test::fuzz
