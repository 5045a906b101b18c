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

  /// The same in blocks of block_keys keys, each with a softmax of its own, which are joined as every call of the
  /// library joins them: what its meaning costs, without a line of the calls around the kernels.
  void run_by_blocks();

 private:
  /// Some rows of a head, and some of the keys: all of them, or those of a block.
  struct Part {
    std::uint32_t head, first, rows;
    std::uint32_t first_key, keys;
  };

  void for_rows(void (UnfusedCase::*run_part)(const Part&));
  void pack_keys(std::uint32_t kv_head);
  void run_whole(const Part& part);
  void run_blocks(const Part& part);
  [[nodiscard]] float* output_of(const Part& part) const;
  void scale_queries(const Part& part);
  void score(const Part& part);
  void weigh(const Part& part);
  void add_values(const Part& part, float* result);
  void divide(const Part& part, const float* sums) const;

  const AttentionCase& fused_;
  std::uint32_t row_block_;
  std::uint32_t padded_keys_;
  Floats packed_keys_;                  ///< [padded_keys / 16, head_dim, 16]
  Floats queries_;                      ///< [row_block, head_dim], scaled
  Floats scores_;                       ///< [row_block, padded_keys]
  Floats maxima_;                       ///< [row_block, 16], of which the first counts
  Floats sums_;                         ///< the same
  Floats maxima_before_, sums_before_;  ///< of the blocks before
  Floats result_;                       ///< [row_block, head_dim], of a block
  const float* key_panels_ = nullptr;
  const float* values_ = nullptr;
  std::ptrdiff_t value_row_ = 0;
};

}  // namespace heed::bench
