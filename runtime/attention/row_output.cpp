// SPDX-License-Identifier: MIT
#include "attention/row_output.hpp"

#include <kernels/exp2.hpp>
#include <kernels/map.hpp>
#include <kernels/multiply_row.hpp>

#include "common/constants.hpp"
#include "math/functions.hpp"

namespace heed::detail {
void finish_scores(float* row, ScoreStage stage, std::uint32_t keys, const RowResult& result) noexcept {
  if (stage == ScoreStage::raw || stage == ScoreStage::softcapped) {
    scale_row(row, keys, ln_2, row);
    return;
  }
  const KeyRange seen = result.visible.empty() ? KeyRange{keys, keys} : result.visible;
  if (stage == ScoreStage::masked) {
    scale_row(row + seen.begin, seen.end - seen.begin, ln_2, row + seen.begin);
  } else {
    map_row(row + seen.begin, seen.end - seen.begin, row + seen.begin,
            [maximum = result.maximum, inverse = result.inverse]<class Lanes>(const Lanes& score) noexcept {
              constexpr auto all = all_lanes<Lanes>;
              return mul(exp2_nonpositive(sub(score, all(maximum))), all(inverse));
            });
  }
  const float hidden = hidden_score(stage);
  for (std::uint32_t key = 0; key < seen.begin; ++key) row[key] = hidden;
  for (std::uint32_t key = seen.end; key < keys; ++key) row[key] = hidden;
}

void scale_row(const float* from, std::uint32_t dim, float factor, float* to) noexcept {
  multiply_row(from, dim, factor, to);
}

void write_row(const AttentionRun& run, std::uint32_t batch, QueryRow row, const RowResult& result) noexcept {
  const AttentionConfig& config = run.plan->config;
  const bool has_visible_key = result.has_visible_key();
  float* const output = run.outputs->output.row(batch, row.head, row.query);
  if (has_visible_key) {
    // Adding 0 makes the sign of a zero independent of the keys that were multiplied with the weight 0.
    multiply_row_unsigned_zeros(result.values, config.value_dim, result.inverse, output);
  } else {
    for (std::uint32_t i = 0; i < config.value_dim; ++i) output[i] = 0.0F;
  }
  if (run.outputs->log_sum_exp != nullptr) {
    const std::size_t stream = std::size_t{batch} * config.heads + row.head;
    run.outputs->log_sum_exp[stream * run.log_sum_exp_head + row.query] =
        has_visible_key ? port::fused(result.maximum, ln_2, logarithm(result.sum)) : minus_infinity;
  }
}

}  // namespace heed::detail
