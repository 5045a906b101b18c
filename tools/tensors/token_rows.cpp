// SPDX-License-Identifier: MIT
#include "tensors/token_rows.hpp"

#include "formats/npy.hpp"
#include "support/failure.hpp"

namespace heed::tools {

TokenRows read_token_rows(const std::string& option, const std::string& file, std::uint32_t dim,
                          const std::string& weights) {
  TokenRows rows{.name = option + " " + file, .array = with_option(option, [&] { return read_npy(file); })};
  const Shape& shape = rows.array.shape;
  rows.name += " " + describe(shape);
  if (shape.size() != 2 && shape.size() != 3)
    throw Failure(rows.name + ": [batch, tokens, dim] or [tokens, dim] is needed");
  if (shape.back() != dim) {
    throw Failure(rows.name + ": the weights in " + weights + " take rows of " + std::to_string(dim));
  }
  rows.tokens = to_size(shape[shape.size() - 2], rows.name);
  if (shape.size() == 3) rows.batch = to_size(shape[0], rows.name);
  if (rows.tokens == 0) throw Failure(rows.name + ": the number of tokens is 0");
  if (rows.batch == 0) throw Failure(rows.name + ": the batch is 0");
  return rows;
}

}  // namespace heed::tools
