// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "tensors/float_array.hpp"

namespace heed::tools {

/// Collects tensors of float32 for a safetensors file, in their order.
class SafetensorsWriter {
 public:
  /// `name` is letters, digits, dots and hyphens, and new. A dense tensor of this shape.
  void add(const std::string& name, const Shape& shape, const float* values);

  /// Of all tensors so far.
  [[nodiscard]] std::size_t data_bytes() const { return data_.size(); }

  /// The whole file. Nothing is left here then.
  [[nodiscard]] std::string take_bytes();

 private:
  std::string entries_;
  std::string data_;
};

}  // namespace heed::tools
