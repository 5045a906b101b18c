// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "heed/types.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// Strides of [batch, heads, rows, dim] data, or of [batch, rows, heads * dim] data if the heads lie inside the rows.
template <class Element>
Tensor<Element> view(Element* data, bool heads_inside, std::uint32_t heads, std::uint32_t rows, std::uint32_t dim) {
  return heads_inside ? bshd(data, heads, rows, dim) : bhsd(data, heads, rows, dim);
}

/// A query, key or value tensor, read in place through strides.
struct Operand {
  std::string name;  ///< for messages: which input, file and shape
  FloatArray array;
  bool heads_inside = false;
  std::uint32_t batch = 0;
  std::uint32_t heads = 0;
  std::uint32_t rows = 0;
  std::uint32_t dim = 0;

  [[nodiscard]] ConstTensor tensor() const { return view(array.values.data(), heads_inside, heads, rows, dim); }
  [[nodiscard]] MutableTensor tensor() { return view(array.values.data(), heads_inside, heads, rows, dim); }
};

/// The files of the three operands. Heads of files with 3 dimensions come from the command line; 0 was not given.
struct OperandFiles {
  std::string query;
  std::string key;
  std::string value;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
};

struct Operands {
  Operand query;
  Operand key;
  Operand value;

  [[nodiscard]] std::string names() const { return query.name + ", " + key.name + ", " + value.name; }
};

[[nodiscard]] Operands read_operands(const OperandFiles& files);

/// Keys or values before those of an operand.
struct PastRows {
  std::string name;  ///< for messages: option, file and shape
  FloatArray array;  ///< [batch, heads, past, dim]

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(array.shape[2]); }
};

/// Reads a file of 4 dimensions.
[[nodiscard]] PastRows read_past(const std::string& option, const std::string& file);

/// The rows of the past, if there is one, and then those of `present`, with the heads first.
[[nodiscard]] Operand join_past(const PastRows* past, const Operand& present);

}  // namespace heed::tools
