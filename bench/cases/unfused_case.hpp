// SPDX-License-Identifier: MIT
#pragma once

#include "cases/attention_case.hpp"

namespace heed::bench {

/// Attention as three passes over memory with this library's own kernels: scores = Q K^T, softmax, scores V, in blocks
/// of query rows. What fusing them has to beat. No masks; keys and values from the cache where the fused case has one.
class UnfusedCase {
 public:
  /// Reads the inputs of `fused` and writes to its output.
  explicit UnfusedCase(const AttentionCase& fused);

  void run();

 private:
  void pack_keys(std::uint32_t kv_head);
  void run_rows(std::uint32_t head, std::uint32_t first, std::uint32_t rows);

  const AttentionCase& fused_;
  std::uint32_t row_block_;
  std::uint32_t padded_keys_;
  Floats packed_keys_;  ///< [padded_keys / 16, head_dim, 16]
  Floats queries_;      ///< [row_block, head_dim], scaled
  Floats scores_;       ///< [row_block, padded_keys]
  Floats sums_;         ///< [row_block]
  const float* key_panels_ = nullptr;
  const float* values_ = nullptr;
  std::ptrdiff_t value_row_ = 0;
};

}  // namespace heed::bench
