// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/multiply_row.hpp>

#include "attention/attention_run.hpp"
#include "attention/row_group.hpp"
#include "common/constants.hpp"
#include "common/key_range.hpp"

namespace heed::detail {

/// What a row has come to after all of its keys.
struct RowResult {
  const float* values;  ///< [value_dim rounded up to 16], to be divided by the sum
  float maximum;        ///< of the base-2 scores
  float sum;            ///< of exp2(score - maximum)
  float inverse;        ///< 1 / sum, or less where a sink takes part
  KeyRange visible{};   ///< for finish_scores(); empty: every weight is 0

  /// The greatest score weighs 1, so a sum of 0 means that no key is seen, or none with a score above -inf: everything
  /// is 0 then. Never -0, and asked for as bits, which a small core compares faster.
  [[nodiscard]] bool has_visible_key() const noexcept { return std::bit_cast<std::uint32_t>(sum) != 0; }
};

inline namespace heed_own_code {

/// Whether the stage comes after the masks.
[[nodiscard]] inline bool is_masked(ScoreStage stage) noexcept {
  return stage == ScoreStage::masked || stage == ScoreStage::weights;
}

/// Whether scores are wanted from before the masks, so that keys no query sees must be scored too.
[[nodiscard]] inline bool scores_need_every_key(const AttentionRun& run) noexcept {
  return run.outputs->scores.data != nullptr && !is_masked(run.outputs->score_stage);
}

/// What the stage has for a key that is not seen.
[[nodiscard]] inline float hidden_score(ScoreStage stage) noexcept {
  return stage == ScoreStage::masked ? minus_infinity : 0.0F;
}

/// Writes a row's output; returns whether it has a visible key.
[[gnu::always_inline]] inline bool write_output(const AttentionRun& run, std::uint32_t batch, QueryRow row,
                                                const RowResult& result) noexcept {
  const AttentionConfig& config = run.plan->config;
  const bool has_visible_key = result.has_visible_key();
  float* const output = run.outputs->output.row(batch, row.head, row.query);
  if (has_visible_key) {
    // Adding 0 makes the sign of a zero independent of the keys that were multiplied with the weight 0.
    multiply_row_unsigned_zeros(result.values, config.value_dim, result.inverse, output);
  } else {
    for (std::uint32_t i = 0; i < config.value_dim; ++i) output[i] = 0.0F;
  }
  return has_visible_key;
}

}  // namespace heed_own_code

/// to [dim] = from * factor.
void scale_row(const float* from, std::uint32_t dim, float factor, float* to) noexcept;

/// Writes a row's output and log-sum-exp.
void write_row(const AttentionRun& run, std::uint32_t batch, QueryRow row, const RowResult& result) noexcept;

/// Converts a row of base-2 scores [keys] to what the stage returns, in place.
void finish_scores(float* row, ScoreStage stage, std::uint32_t keys, const RowResult& result) noexcept;

}  // namespace heed::detail
