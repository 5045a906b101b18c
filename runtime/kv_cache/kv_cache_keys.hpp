// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "gemm/multiply.hpp"
#include "heed/kv_cache.hpp"
#include "heed/options.hpp"

namespace heed::detail {

/// Keys and values of one batch entry and one key head in a KvCache: in one sequence of it, or in pages. What is
/// not stored as floats is decoded in registers for one row or two, and otherwise a few keys at a time, so that decoded
/// numbers never leave the first-level cache.
struct KvCacheKeys {
  static constexpr bool may_be_rows = false;
  static constexpr bool in_panels = true;

  const KvCache& cache;
  const std::uint32_t* pages;  ///< the batch entry's; null: all keys are in `sequence`
  std::uint32_t sequence;
  std::uint32_t kv_head;
  std::uint32_t count;   ///< keys that are there to be scored
  std::uint32_t length;  ///< keys that a query may see, at most `count`

  KvCacheKeys(const AttentionRun& run, std::uint32_t batch, std::uint32_t kv_head) noexcept;

  [[nodiscard]] std::uint32_t panels_at_once(const AttentionPlan& plan, std::uint32_t rows, std::uint32_t first,
                                             std::uint32_t wanted) const noexcept;
  [[nodiscard]] std::uint32_t values_at_once(const AttentionPlan& plan, std::uint32_t rows, std::uint32_t first,
                                             std::uint32_t wanted) const noexcept;
  [[nodiscard]] const float* panels(const AttentionPlan& plan, std::uint32_t first, std::uint32_t wanted,
                                    float* staged) const noexcept;
  void multiply_keys(const AttentionPlan& plan, std::uint32_t first, float* staged, Gemm product) const noexcept;
  void multiply_values(const AttentionPlan& plan, std::uint32_t first, float* staged, Gemm product) const noexcept;
};

/// Keys of a batch entry that can be scored, visible or not.
[[nodiscard]] std::uint32_t kv_cache_key_count(const AttentionInputs& inputs, const KvCacheView& view,
                                               std::uint32_t batch) noexcept;

/// Whether a ring has overwritten tokens of a sequence: its slots are not in the order of time.
[[nodiscard]] bool has_wrapped(const KvCache& cache, std::uint32_t sequence) noexcept;

/// What attend() refuses about a KvCache and its pages; `keys` receives the greatest key count of a batch entry.
[[nodiscard]] Status check_kv_cache_keys(const AttentionPlan& plan, const AttentionInputs& inputs,
                                         const KvCacheView& view, std::uint32_t& keys) noexcept;

/// attend() over a KvCache after its checks. `log_sum_exp_head` is the stride from head to head of that output.
void run_attention(const AttentionPlan& plan, std::byte* arena, const AttentionInputs& inputs, const KvCacheView& keys,
                   const AttentionOptions& options, const AttentionOutputs& outputs, std::size_t log_sum_exp_head,
                   const Executor& executor) noexcept;

}  // namespace heed::detail
