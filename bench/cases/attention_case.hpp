// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "cases/data.hpp"
#include "heed/heed.hpp"
#include "machine/measure.hpp"

namespace heed::bench {

struct AttentionShape {
  std::uint32_t queries = 1;
  std::uint32_t keys = 1;
  std::uint32_t head_dim = 64;
  std::uint32_t heads = 8;
  std::uint32_t kv_heads = 8;
  Causal causal = Causal::none;
  bool cached = false;  ///< keys and values come from a KvCache
  std::uint32_t workers = 1;
  std::uint32_t misalignment = 0;  ///< floats by which the tensors lie after a cache line
  std::uint32_t visible_keys = 0;  ///< the batch entry's key length; 0: all keys
  bool weights_returned = false;
  bool log_sum_exp_returned = false;
};

/// FLOP of the query-key pairs that a mask leaves, and the bytes of keys and values that a run reads at least once.
[[nodiscard]] Work work_of(const AttentionShape& shape);

/// One attend() call with everything it needs.
class AttentionCase {
 public:
  explicit AttentionCase(const AttentionShape& shape, const Executor& executor = {});
  AttentionCase(const AttentionCase&) = delete;
  AttentionCase& operator=(const AttentionCase&) = delete;

  void run() const;

  /// Ends the program unless a sample of the rows that run() wrote is right.
  void check(const std::string& what) const;

  [[nodiscard]] const AttentionShape& shape() const { return shape_; }
  [[nodiscard]] const Tensors& tensors() const { return tensors_; }
  [[nodiscard]] const KvCache& cache() const { return cache_; }

  /// The keys and values in the cache, in blocks as the kernels read them.
  [[nodiscard]] Reads cache_reads() const { return reads_of(cache_); }
  [[nodiscard]] double scratch_bytes() const { return plan_.worker_bytes; }

 private:
  void fill_cache();

  AttentionShape shape_;
  Executor executor_;
  AttentionPlan plan_;
  mutable Bytes arena_;
  Tensors tensors_;
  KvCachePlan cache_plan_;
  Bytes cache_memory_;
  KvCache cache_;
  Floats weights_;
  Floats log_sum_exp_;
  AttentionInputs inputs_;
  AttentionOutputs outputs_;
};

}  // namespace heed::bench
