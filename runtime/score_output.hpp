// SPDX-License-Identifier: MIT
#pragma once

#include "attention_unit.hpp"

namespace heed::detail {

/// Whether scores are wanted from before the masks, so that keys no query sees must be scored too.
[[nodiscard]] inline bool scores_need_every_key(const AttentionRun& run) noexcept {
  return run.outputs->scores.data != nullptr &&
         (run.outputs->score_stage == ScoreStage::raw || run.outputs->score_stage == ScoreStage::capped);
}

/// Turns a row of base-2 scores [keys] into what the stage asks for, in place. maximum and inverse are the row's final
/// statistics: weight = exp2(score - maximum) * inverse.
void finish_scores(float* row, ScoreStage stage, std::uint32_t keys, KeyRange seen, float maximum,
                   float inverse) noexcept;

}  // namespace heed::detail
