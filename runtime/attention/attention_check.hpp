// SPDX-License-Identifier: MIT
//
// What attend() refuses, in the pieces that its variants share. Nothing is written before all of them have passed.
#pragma once

#include <cstdint>

#include "attention/key_source.hpp"
#include "cache/cache_parts.hpp"
#include "heed/attention.hpp"
#include "heed/options.hpp"

namespace heed::detail {

inline namespace heed_own_code {

/// What reads the keys of a call; null if that is a cache which is not initialised.
[[nodiscard]] inline const KeyReader* reader_of(const AttentionInputs& inputs) noexcept {
  return inputs.cache != nullptr ? CacheAccess::reader(*inputs.cache) : &tensor_reader;
}

}  // namespace heed_own_code

/// Counts, scale, causal mask and the query tensor.
[[nodiscard]] Status check_queries(const AttentionConfig& config, const AttentionInputs& inputs) noexcept;

/// Keys and values, from tensors that do not begin where the output does or from a cache, and key_lengths. Options are
/// null for a call without; `most` becomes the greatest key count of a batch entry.
[[nodiscard]] Status check_keys(const AttentionPlan& plan, const AttentionInputs& inputs,
                                const AttentionOptions* options, const float* output, std::uint32_t& most) noexcept;

/// The outputs; `keys` is the greatest key count of a batch entry.
[[nodiscard]] Status check_outputs(const AttentionConfig& config, const AttentionInputs& inputs,
                                   const AttentionOutputs& outputs, std::uint32_t keys) noexcept;

/// Everything that attend() without options refuses, apart from the arena.
[[nodiscard]] Status check_attention(const AttentionPlan& plan, const AttentionInputs& inputs,
                                     const AttentionOutputs& outputs) noexcept;

}  // namespace heed::detail
