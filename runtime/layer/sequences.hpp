// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/layer.hpp"
#include "heed/options.hpp"

namespace heed::detail {

/// The sequences or pages of a cache that the batch entries of a layer's call read and append to. Counts of tokens go
/// over everything that was ever appended, counts of keys over what the cache holds of it.
struct Sequences {
  KvCache& cache;
  const MultiHeadInputs& inputs;
  std::uint32_t max_pages;  ///< of the plan; 0 for a call without a page table

  Sequences(KvCache& layer_cache, const MultiHeadInputs& call, std::uint32_t plan_pages) noexcept
      : cache(layer_cache), inputs(call), max_pages(call.page_table != nullptr ? plan_pages : 0) {}

  /// What a call refuses about its sequences; nothing is written.
  [[nodiscard]] Status check(CacheUpdate update) const noexcept;

  /// What it refuses about masks over a ring; options are null for a call without.
  [[nodiscard]] Status check_masks(const AttentionOptions* options, CacheUpdate update) const noexcept;

  /// Tokens of a batch entry before the call.
  [[nodiscard]] std::uint32_t tokens(std::uint32_t batch) const noexcept;

  /// Keys that are held of so many tokens.
  [[nodiscard]] std::uint32_t keys(std::uint32_t tokens) const noexcept;

  /// What stands for the key length in a causal mask: `length` keys are seen, of so many tokens.
  [[nodiscard]] std::uint32_t position_count(std::uint32_t length, std::uint32_t tokens) const noexcept {
    return keys(tokens) < tokens ? tokens : length;
  }

  /// Of `wanted` tokens that follow `tokens`, how many may be appended before the first of them attends.
  [[nodiscard]] std::uint32_t appended_at_once(std::uint32_t tokens, std::uint32_t wanted) const noexcept;

  [[nodiscard]] Status clear(std::uint32_t batch) const noexcept;

  /// Appends rows [1, kv_heads, rows, head_dim] and [1, kv_heads, rows, value_dim] after `tokens` tokens.
  [[nodiscard]] Status append(std::uint32_t batch, std::uint32_t tokens, std::uint32_t rows, const ConstTensor& key,
                              const ConstTensor& value) const noexcept;

 private:
  /// check() without pages.
  [[nodiscard]] Status check_each(CacheUpdate update) const noexcept;
};

/// Tokens of one batch entry that are projected at a time.
struct LayerRows {
  const MultiHeadInputs& inputs;
  std::uint32_t batch;
  std::uint32_t number;  ///< of the call's token 0 in its sequence
  std::uint32_t end;     ///< tokens of the call that are in the cache
  std::uint32_t first;   ///< the first token of the rows, counted from the call's token 0
  std::uint32_t count;
};

}  // namespace heed::detail
