// SPDX-License-Identifier: MIT
#include "attention/row_output.hpp"

#include <kernels/exp2.hpp>

#include "common/constants.hpp"
#include "math/logarithm.hpp"

namespace heed::detail {
namespace {

/// to[i] = f(from[i]) for i in `range`.
template <class Function>
void for_range(const float* from, float* to, KeyRange range, Function f) noexcept {
  std::uint32_t i = range.begin;
  for (; i + panel_width <= range.end; i += panel_width) port::store(to + i, f(port::load(from + i)));
  if (i < range.end) {
    const int count = static_cast<int>(range.end - i);
    port::store_partial(to + i, f(port::load_partial(from + i, count)), count);
  }
}

}  // namespace

void finish_scores(float* row, ScoreStage stage, std::uint32_t keys, const RowResult& result) noexcept {
  const auto natural = [](const port::f32x16& score) noexcept { return port::mul(score, port::set(ln_2)); };
  if (stage == ScoreStage::raw || stage == ScoreStage::softcapped) {
    for_range(row, row, {0, keys}, natural);
    return;
  }
  const KeyRange seen = result.visible.empty() ? KeyRange{keys, keys} : result.visible;
  if (stage == ScoreStage::masked) {
    for_range(row, row, seen, natural);
  } else {
    for_range(row, row, seen, [&result](const port::f32x16& score) noexcept {
      return port::mul(exp2_nonpositive(port::sub(score, port::set(result.maximum))), port::set(result.inverse));
    });
  }
  const float hidden = hidden_score(stage);
  for (std::uint32_t key = 0; key < seen.begin; ++key) row[key] = hidden;
  for (std::uint32_t key = seen.end; key < keys; ++key) row[key] = hidden;
}

void scale_row(const float* from, std::uint32_t dim, float factor, float* to) noexcept {
  for_range(from, to, {0, dim}, [factor](const port::f32x16& x) noexcept { return port::mul(x, port::set(factor)); });
}

void write_row(const AttentionRun& run, std::uint32_t batch, QueryRow row, const RowResult& result) noexcept {
  const AttentionConfig& config = run.plan->config;
  const bool has_visible_key = !result.visible.empty();
  const port::f32x16 zero = port::set(0.0F);
  for_range(result.values, run.outputs->output.row(batch, row.head, row.query), {0, config.value_dim},
            [&](const port::f32x16& x) noexcept {
              // Adding 0 makes the sign of a zero independent of the keys that were multiplied with the weight 0.
              return has_visible_key ? port::fma(x, port::set(result.inverse), zero) : zero;
            });
  if (run.outputs->log_sum_exp != nullptr) {
    const std::size_t stream = std::size_t{batch} * config.heads + row.head;
    run.outputs->log_sum_exp[stream * run.log_sum_exp_head + row.query] =
        has_visible_key ? __builtin_fmaf(result.maximum, ln_2, logarithm(result.sum)) : minus_infinity;
  }
}

}  // namespace heed::detail
