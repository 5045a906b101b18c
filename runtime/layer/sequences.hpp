// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "common/key_range.hpp"
#include "heed/layer.hpp"

namespace heed::detail {

struct LayerRows;

/// The sequences or pages of a cache that the batch entries of a layer's call read and append to. Counts of tokens go
/// over everything that was ever appended, counts of keys over what the cache holds of it.
struct Sequences {
  const MultiHeadPlan& plan;
  KvCache& cache;
  const MultiHeadInputs& inputs;
  std::uint32_t entries;  ///< of the batch

  Sequences(const MultiHeadPlan& layer, KvCache& layer_cache, const MultiHeadInputs& call) noexcept
      : plan(layer), cache(layer_cache), inputs(call), entries(call.entries()) {}

  /// What a call refuses about its sequences; nothing is written.
  [[nodiscard]] Status check(CacheUpdate update) const noexcept;

  /// Tokens of a batch entry before the call, whose sequences have been checked.
  [[nodiscard]] std::uint32_t tokens(std::uint32_t batch) const noexcept;

  /// Keys that are held of so many tokens: all of them, or in a ring those that were not overwritten.
  [[nodiscard]] std::uint32_t keys(std::uint32_t tokens) const noexcept {
    return least(tokens, plan.attention.config.max_keys);
  }

  /// Of `wanted` tokens that follow `tokens`, how many may be appended before the first of them attends: all that
  /// overwrite nothing, or one.
  [[nodiscard]] std::uint32_t appended_at_once(std::uint32_t tokens, std::uint32_t wanted) const noexcept {
    const std::uint32_t max_keys = plan.attention.config.max_keys;
    return tokens < max_keys ? least(wanted, max_keys - tokens) : 1;
  }

  [[nodiscard]] Status clear(std::uint32_t batch) const noexcept;

  /// Appends rows [1, kv_heads, rows, head_dim] and [1, kv_heads, rows, value_dim].
  [[nodiscard]] Status append(const LayerRows& rows, const ConstTensor& key, const ConstTensor& value) const noexcept;
};

/// Tokens of one batch entry that are projected at a time.
struct LayerRows {
  const MultiHeadInputs& inputs;
  std::uint32_t batch;
  std::uint32_t number;  ///< of the call's token 0 in its sequence
  std::uint32_t end;     ///< tokens of the call that are in the cache
  std::uint32_t first;   ///< the first token of the rows, counted from the call's token 0
  std::uint32_t count;
  bool same;  ///< whether they are the rows that were projected last
};

}  // namespace heed::detail
