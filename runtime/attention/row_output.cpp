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
  const bool has_visible_key = write_output(run, batch, row, result);
  if (run.outputs->log_sum_exp != nullptr) {
    const std::size_t stream = std::size_t{batch} * run.plan->config.heads + row.head;
    run.outputs->log_sum_exp[stream * run.log_sum_exp_head + row.query] =
        has_visible_key ? port::fused(result.maximum, ln_2, logarithm(result.sum)) : minus_infinity;
  }
}

}  // namespace heed::detail
