// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/layer.hpp"
#include "tensors/token_rows.hpp"

namespace heed::tools {

/// One of the projections that fill the cache: W [kv_heads * dim, inputs] and its bias or null.
struct Projection {
  const float* weight = nullptr;
  const float* bias = nullptr;
  std::uint32_t inputs = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t dim = 0;
};

/// Keys or values [batch, kv_heads, tokens, dim], to which tokens can be added.
class ProjectedRows {
 public:
  /// Projects the rows with the library, so that the bits are those of a layer that reads the same rows.
  ProjectedRows(const Projection& projection, const TokenRows& rows);

  /// A token after the others: [kv_heads * dim], the same for the whole batch.
  void add_token(const std::vector<float>& token);

  [[nodiscard]] std::uint32_t tokens() const { return tokens_; }

  /// [1, kv_heads, tokens, dim] of one batch entry.
  [[nodiscard]] ConstTensor batch_entry(std::uint32_t batch) const;

 private:
  std::uint32_t kv_heads_;
  std::uint32_t dim_;
  std::uint32_t tokens_;
  std::vector<std::vector<float>> rows_;  ///< of each batch entry [tokens, kv_heads, dim]
};

}  // namespace heed::tools
