// SPDX-License-Identifier: MIT
//
// The sequences of a FloatKvCache that the batch entries of a layer's call read and append to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "common/validation.hpp"
#include "heed/multi_head.hpp"

namespace heed::detail {

/// kv_sequences.hpp has the same for a KvCache. Counts of tokens go over everything that was ever appended, counts of
/// keys over what the cache holds of it.
struct FloatSequences {
  FloatKvCache& cache;
  const MultiHeadInputs& inputs;

  /// What a call refuses about its sequences; nothing is written.
  [[nodiscard]] Status check(CacheUpdate update) const noexcept;

  /// What it refuses about masks in them.
  static Status check_masks(const AttentionOptions* /*options*/, CacheUpdate /*update*/) noexcept { return Status::ok; }

  /// Whether append() may refuse a key for what it is.
  static bool refuses_keys() noexcept { return false; }

  /// Tokens of a batch entry before the call.
  [[nodiscard]] std::uint32_t tokens(std::uint32_t batch) const noexcept { return cache.length(sequence(batch)); }

  /// Keys that are held of so many tokens.
  static std::uint32_t keys(std::uint32_t tokens) noexcept { return tokens; }

  /// What stands for the key length in a causal mask: `length` keys are seen, of so many tokens.
  static std::uint32_t position_count(std::uint32_t length, std::uint32_t /*tokens*/) noexcept { return length; }

  /// Of `wanted` tokens that follow `tokens`, how many may be appended before the first of them attends.
  static std::uint32_t piece(std::uint32_t /*tokens*/, std::uint32_t wanted) noexcept { return wanted; }

  [[nodiscard]] Status clear(std::uint32_t batch) const noexcept { return cache.reset(sequence(batch)); }

  /// Appends rows [1, kv_heads, rows, head_dim] and [1, kv_heads, rows, value_dim] after `tokens` tokens.
  [[nodiscard]] Status append(std::uint32_t batch, std::uint32_t /*tokens*/, std::uint32_t rows, ConstTensor key,
                              ConstTensor value) const noexcept {
    return cache.append(sequence(batch), rows, key, value);
  }

  /// The attention of one batch entry's queries, with options or without.
  template <class... Options>
  void attend(const AttentionPlan& plan, std::byte* scratch, std::uint32_t batch, AttentionInputs& attention,
              const AttentionOutputs& outputs, const Executor& executor, const Options&... options) const noexcept {
    const std::uint32_t id = sequence(batch);
    attention.cache = &cache;
    attention.sequence_ids = &id;
    run_attention(plan, scratch, attention, options..., outputs, inputs.tokens, executor);
  }

 private:
  [[nodiscard]] std::uint32_t sequence(std::uint32_t batch) const noexcept {
    return sequence_of(inputs.sequence_ids, batch);
  }
};

[[nodiscard]] inline FloatSequences sequences_of(const MultiHeadPlan& /*plan*/, FloatKvCache& cache,
                                                 const MultiHeadInputs& inputs) noexcept {
  return {cache, inputs};
}

}  // namespace heed::detail
