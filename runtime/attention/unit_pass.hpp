// SPDX-License-Identifier: MIT
//
// One group's way through one pass over the keys: scores, options, softmax, values, and the rows written at the end.
// The second half of unit.hpp.
#pragma once

#include "attention/unit.hpp"

namespace heed::detail {
inline namespace heed_own_code {

template <class Rules, class Source>
void Unit<Rules, Source>::run_pass(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept {
  KeyBlock pass = block_at(group, first_key, width);
  if (pass.scored.empty()) return;
  float maxima[panel_width];
  score_keys(pass, source_, maxima);
  if constexpr (Rules::has_options) {
    change_scores(pass);
  } else {
    if (run_.outputs->scores.data != nullptr) write_scores(pass, false);
  }
  if (width == block_keys) {
    run_block(pass, maxima);
    return;
  }
  for (std::uint32_t key = 0; key < pass.any.end; key += block_keys) {
    KeyBlock block = block_at(group, first_key + key, block_keys);
    block.scores = pass.scores + key;
    block.score_row = pass.score_row;
    run_block(block, maxima);
  }
}

/// The options' steps between the product and the softmax, with the scores written out where they are asked for.
template <class Rules, class Source>
void Unit<Rules, Source>::change_scores(KeyBlock& pass) noexcept {
  const bool wanted = run_.outputs->scores.data != nullptr;
  const ScoreStage stage = run_.outputs->score_stage;
  QueryRow rows[panel_width];
  for (std::uint32_t r = 0; r < pass.group.rows; ++r) rows[r] = row_at(pass.group.first + r);
  if (wanted && stage == ScoreStage::raw) write_scores(pass, false);
  rules_.cap(pass, rows, partial_);
  if (wanted && stage == ScoreStage::softcapped) write_scores(pass, false);
  rules_.bias(pass, rows, partial_);
  if (wanted && is_masked(stage)) write_scores(pass, true);
}

/// Weighs and multiplies one block that has been scored.
template <class Rules, class Source>
void Unit<Rules, Source>::run_block(const KeyBlock& block, float* maxima) noexcept {
  if (block.any.empty()) return;
  const Group& group = block.group;
  const std::uint64_t bit = std::uint64_t{1} << group.first / plan_.group_rows;
  float* result = accumulators_ + std::size_t{group.first} * value_width_;
  if ((started_ & bit) == 0) {
    started_ |= bit;
    weigh_keys(block, maxima, sums_ + group.first, partial_);
    port::store(maxima_ + group.first, port::load(maxima));
    multiply(block, result);
    return;
  }
  float sums[panel_width];
  float before[panel_width];
  float added[panel_width];
  weigh_keys(block, maxima, sums, partial_);
  merge_statistics(maxima, sums, maxima_ + group.first, sums_ + group.first, before, added);
  multiply(block, partial_);
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const std::size_t row = std::size_t{r} * value_width_;
    merge_row(partial_ + row, before[r], added[r], value_width_, result + row);
  }
}

template <class Rules, class Source>
void Unit<Rules, Source>::multiply(const KeyBlock& block, float* result) noexcept {
  multiply_values(block, source_, result, [&](std::uint32_t r, auto multiply_run) noexcept {
    if constexpr (Rules::has_options) {
      rules_.for_open_runs(row_at(block.group.first + r), block.first_key, block.seen[r], multiply_run);
    } else {
      if (!block.seen[r].empty()) multiply_run(block.seen[r]);
    }
  });
}

/// Leaves the base-2 scores in the output; finish() turns them into what is wanted.
template <class Rules, class Source>
void Unit<Rules, Source>::write_scores(const KeyBlock& block, bool seen_only) const noexcept {
  const ScoreStrides strides = score_strides(block);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    const QueryRow row = row_at(block.group.first + r);
    const KeyRange keys = seen_only ? block.seen[r] : block.scored;
    const float* from = scores_ + static_cast<std::ptrdiff_t>(r) * strides.row;
    float* to = rules_.score_row(batch_, row);
    if (to == nullptr) continue;
    to += block.first_key;
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
      to[key] = from[static_cast<std::ptrdiff_t>(key) * strides.key];
    }
  }
}

template <class Rules, class Source>
void Unit<Rules, Source>::finish(std::uint32_t row) const noexcept {
  const QueryRow at = row_at(row);
  RowResult result{accumulators_ + std::size_t{row} * value_width_, maxima_[row], sums_[row], 1.0F / sums_[row], {}};
  // The greatest score weighs 1, so a sum of 0 means that no key is seen, or none with a score above -inf.
  if (result.sum != 0.0F) result.seen = rules_.visible(at.query);
  if constexpr (Rules::has_options) result.inverse = rules_.inverse(at.head, result.maximum, result.sum);
  write_row(run_, batch_, at, result);
  if (run_.outputs->scores.data == nullptr) return;
  float* scores = rules_.score_row(batch_, at);
  if (scores == nullptr) return;
  const ScoreStage stage = run_.outputs->score_stage;
  finish_scores(scores, stage, source_.count, result);
  if constexpr (Rules::has_options) {
    if (is_masked(stage)) rules_.hide(at, result.seen, hidden_score(stage), scores);
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
