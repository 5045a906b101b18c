// SPDX-License-Identifier: MIT
//
// What attend() refuses, in the pieces that its variants share. Nothing is written before all of them have passed.
#pragma once

#include <cstdint>

#include "heed/attention.hpp"
#include "heed/options.hpp"

namespace heed::detail {

/// Counts, scale, causal mask and the query tensor.
[[nodiscard]] Status check_queries(const AttentionConfig& config, const AttentionInputs& inputs) noexcept;

/// Keys and values, from tensors that do not begin where the output does or from a cache, and key_lengths. Options are
/// null for a call without.
[[nodiscard]] Status check_keys(const AttentionPlan& plan, const AttentionInputs& inputs,
                                const AttentionOptions* options, const float* output) noexcept;

/// The outputs; `keys` is the greatest key count of a batch entry.
[[nodiscard]] Status check_outputs(const AttentionConfig& config, const AttentionInputs& inputs,
                                   const AttentionOutputs& outputs, std::uint32_t keys) noexcept;

/// Everything that attend() without options refuses, apart from the arena.
[[nodiscard]] Status check_attention(const AttentionPlan& plan, const AttentionInputs& inputs,
                                     const AttentionOutputs& outputs) noexcept;

/// The greatest key count of a batch entry.
[[nodiscard]] std::uint32_t most_keys(const AttentionInputs& inputs) noexcept;

}  // namespace heed::detail
