// SPDX-License-Identifier: MIT
#include "tensors/operands.hpp"

#include <algorithm>

#include "formats/npy.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

Operand read_operand(const std::string& option, const std::string& file) {
  Operand operand{.name = option + " " + file, .array = with_option(option, [&] { return read_npy(file); })};
  const Shape& shape = operand.array.shape;
  operand.name += " " + describe(shape);
  if (shape.size() != 3 && shape.size() != 4) {
    throw Failure(operand.name + ": 4 dimensions are needed, or 3 with --heads");
  }
  operand.heads_inside = shape.size() == 3;
  operand.batch = to_size(shape[0], operand.name);
  operand.rows = to_size(shape[shape.size() - 2], operand.name);
  if (operand.batch == 0) throw Failure(operand.name + ": the batch is 0");
  return operand;
}

/// Fills in heads and dim. `heads` comes from the command line; 0 if it was not given.
void split_heads(Operand& operand, std::uint32_t heads, const std::string& option) {
  const Shape& shape = operand.array.shape;
  operand.heads = operand.heads_inside ? heads : to_size(shape[1], operand.name);
  const std::size_t width = shape.back();
  if (operand.heads_inside && heads == 0) throw Failure(operand.name + ": 3 dimensions need " + option);
  if (!operand.heads_inside && heads != 0 && heads != operand.heads) {
    throw Failure(operand.name + ": " + option + " " + std::to_string(heads) + " does not match the shape");
  }
  if (operand.heads_inside && width % heads != 0) {
    throw Failure(operand.name + ": the last dimension is not a multiple of " + option + " " + std::to_string(heads));
  }
  operand.dim = to_size(operand.heads_inside ? width / heads : width, operand.name);
  // The library would read a 0 as "the same as the queries'".
  if (operand.heads == 0 || operand.dim == 0) {
    throw Failure(operand.name + ": the number of " + (operand.heads == 0 ? "heads" : "columns of a head") + " is 0");
  }
}

void require_equal(const Operand& first, const Operand& second, std::size_t left, std::size_t right,
                   const std::string& what) {
  if (left == right) return;
  throw Failure(first.name + " and " + second.name + " differ in " + what + ": " + std::to_string(left) + " and " +
                std::to_string(right));
}

}  // namespace

Operands read_operands(const OperandFiles& files) {
  Operands operands{read_operand("--query", files.query), read_operand("--key", files.key),
                    read_operand("--value", files.value)};
  auto& [query, key, value] = operands;
  if (query.rows == 0) throw Failure(query.name + ": the number of queries is 0");
  require_equal(query, key, query.array.shape.size(), key.array.shape.size(), "the number of dimensions");
  require_equal(query, value, query.array.shape.size(), value.array.shape.size(), "the number of dimensions");
  const bool as_query = query.heads_inside && files.kv_heads == 0;
  const std::uint32_t kv_heads = as_query ? files.heads : files.kv_heads;
  const std::string kv_option = as_query ? "--heads" : "--kv-heads";
  split_heads(query, files.heads, "--heads");
  split_heads(key, kv_heads, kv_option);
  split_heads(value, kv_heads, kv_option);
  require_equal(query, key, query.batch, key.batch, "batch");
  require_equal(query, value, query.batch, value.batch, "batch");
  require_equal(query, key, query.dim, key.dim, "head_dim");
  require_equal(key, value, key.heads, value.heads, "heads");
  require_equal(key, value, key.rows, value.rows, "keys");
  return operands;
}

PastRows read_past(const std::string& option, const std::string& file) {
  PastRows past{option + " " + file, with_option(option, [&] { return read_npy(file); })};
  past.name += " " + describe(past.array.shape);
  if (past.array.shape.size() != 4) throw Failure(past.name + ": [batch, kv_heads, past, dim] is needed");
  static_cast<void>(to_size(past.array.shape[2], past.name));
  return past;
}

Operand join_past(const PastRows* past, const Operand& present) {
  std::string name = present.name;
  if (past != nullptr) {
    name = past->name + " before " + present.name;
    const Shape& shape = past->array.shape;
    if (shape[0] != present.batch || shape[1] != present.heads || shape[3] != present.dim) {
      throw Failure(name + ": [batch, kv_heads, past, dim] = [" + std::to_string(present.batch) + ", " +
                    std::to_string(present.heads) + ", past, " + std::to_string(present.dim) + "] is needed");
    }
  }
  const std::size_t past_rows = past != nullptr ? past->rows() : 0;
  const float* const past_values = past != nullptr ? past->array.values.data() : nullptr;
  const std::uint32_t rows = to_size(past_rows + present.rows, name);
  Operand joined{.name = name,
                 .array = zeros({present.batch, present.heads, rows, present.dim}, name),
                 .batch = present.batch,
                 .heads = present.heads,
                 .rows = rows,
                 .dim = present.dim};
  const ConstTensor before = bhsd<const float>(past_values, present.heads, past_rows, present.dim);
  const ConstTensor after = present.tensor();
  const MutableTensor to = joined.tensor();
  for (std::uint32_t batch = 0; batch < joined.batch; ++batch) {
    for (std::uint32_t head = 0; head < joined.heads; ++head) {
      if (past_rows != 0) std::copy_n(before.row(batch, head, 0), past_rows * joined.dim, to.row(batch, head, 0));
      for (std::uint32_t row = 0; row < present.rows; ++row) {
        std::copy_n(after.row(batch, head, row), joined.dim, to.row(batch, head, past_rows + row));
      }
    }
  }
  return joined;
}

}  // namespace heed::tools
