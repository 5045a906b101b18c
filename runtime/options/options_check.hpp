// SPDX-License-Identifier: MIT
#pragma once

#include "heed/attention.hpp"
#include "heed/options.hpp"

namespace heed::detail {

/// How many of `all` a selection takes from `first` on; `count` 0 means all of them.
[[nodiscard]] constexpr std::uint32_t selected(std::uint32_t count, std::uint32_t first, std::uint32_t all) noexcept {
  return count != 0 ? count : all - first;
}

/// Everything that attend() refuses about its options.
[[nodiscard]] Status check_options(const AttentionConfig& config, const AttentionInputs& inputs,
                                   const AttentionOptions& options) noexcept;

/// Scores [batch, heads, queries, keys] of the selected heads and queries, or data = null.
[[nodiscard]] Status check_selected_scores(const AttentionConfig& config, const AttentionInputs& inputs,
                                           const AttentionOptions& options, const MutableTensor& scores,
                                           ScoreStage stage, std::uint32_t keys) noexcept;

/// The outputs; of the scores, only the selected ones must fit.
[[nodiscard]] Status check_selected_outputs(const AttentionConfig& config, const AttentionInputs& inputs,
                                            const AttentionOptions& options, const AttentionOutputs& outputs,
                                            std::uint32_t keys) noexcept;

/// Everything that attend() with options refuses, apart from the arena.
[[nodiscard]] Status check_attention(const AttentionPlan& plan, const AttentionInputs& inputs,
                                     const AttentionOptions& options, const AttentionOutputs& outputs) noexcept;

}  // namespace heed::detail
