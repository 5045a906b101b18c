// SPDX-License-Identifier: MIT
//
// The sequences or blocks of a KvCache that the batch entries of a layer's call read and append to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/validation.hpp"
#include "heed/kv_multi_head.hpp"
#include "heed/options.hpp"
#include "kv_cache/kv_cache_keys.hpp"

namespace heed::detail {

/// FloatSequences for a KvCache: its functions say what these do.
struct KvSequences {
  KvCache& cache;
  const MultiHeadInputs& inputs;
  std::uint32_t max_blocks;  ///< of the plan

  [[nodiscard]] Status check(CacheUpdate update) const noexcept;
  [[nodiscard]] Status check_masks(const AttentionOptions* options, CacheUpdate update) const noexcept;
  [[nodiscard]] bool refuses_keys() const noexcept { return cache.plan().config.key_scales_per_channel; }
  [[nodiscard]] std::uint32_t tokens(std::uint32_t batch) const noexcept;
  [[nodiscard]] std::uint32_t keys(std::uint32_t tokens) const noexcept;
  [[nodiscard]] std::uint32_t position_count(std::uint32_t length, std::uint32_t tokens) const noexcept {
    return keys(tokens) < tokens ? tokens : length;
  }
  [[nodiscard]] std::uint32_t piece(std::uint32_t tokens, std::uint32_t wanted) const noexcept;
  [[nodiscard]] Status clear(std::uint32_t batch) const noexcept;
  [[nodiscard]] Status append(std::uint32_t batch, std::uint32_t tokens, std::uint32_t rows, ConstTensor key,
                              ConstTensor value) const noexcept;

  void attend(const AttentionPlan& plan, std::byte* scratch, std::uint32_t batch, AttentionInputs& attention,
              const AttentionOutputs& outputs, const Executor& executor,
              const AttentionOptions& options = {}) const noexcept {
    const std::uint32_t id = sequence_of(inputs.sequence_ids, batch);
    attention.sequence_ids = &id;
    run_attention(plan, scratch, attention, {&cache, blocks(batch), max_blocks}, options, outputs, inputs.tokens,
                  executor);
  }

 private:
  [[nodiscard]] const std::uint32_t* blocks(std::uint32_t batch) const noexcept {
    return inputs.block_table == nullptr ? nullptr : inputs.block_table + std::size_t{batch} * max_blocks;
  }

  /// Blocks that so many tokens begin.
  [[nodiscard]] std::uint32_t block_count(std::uint32_t tokens) const noexcept;
  [[nodiscard]] Status check_sequence(std::uint32_t batch, CacheUpdate update) const noexcept;
  [[nodiscard]] Status check_blocks(std::uint32_t batch, CacheUpdate update) const noexcept;
  [[nodiscard]] bool appends_to(std::uint32_t batch, std::uint32_t block, CacheUpdate update) const noexcept;
};

[[nodiscard]] inline KvSequences sequences_of(const KvMultiHeadPlan& plan, KvCache& cache,
                                              const MultiHeadInputs& inputs) noexcept {
  return {cache, inputs, plan.config.max_blocks};
}

}  // namespace heed::detail
