// SPDX-License-Identifier: MIT
#include "score_output.hpp"

#include <kernels/exp2.hpp>
#include <kernels/logarithm.hpp>

namespace heed::detail {
namespace {

/// row[i] = f(row[i]) for i in `range`.
template <class Function>
void for_range(float* row, KeyRange range, Function f) noexcept {
  std::uint32_t i = range.begin;
  for (; i + panel_width <= range.end; i += panel_width) port::store(row + i, f(port::load(row + i)));
  if (i < range.end) {
    const int count = static_cast<int>(range.end - i);
    port::store_partial(row + i, f(port::load_partial(row + i, count)), count);
  }
}

}  // namespace

void finish_scores(float* row, ScoreStage stage, std::uint32_t keys, KeyRange seen, float maximum,
                   float inverse) noexcept {
  const auto natural = [](const port::f32x16& score) noexcept { return port::mul(score, port::set(ln_2)); };
  if (stage == ScoreStage::raw || stage == ScoreStage::capped) {
    for_range(row, {0, keys}, natural);
    return;
  }
  if (seen.empty()) seen = {keys, keys};
  if (stage == ScoreStage::biased) {
    for_range(row, seen, natural);
  } else {
    for_range(row, seen, [maximum, inverse](const port::f32x16& score) noexcept {
      return port::mul(exp2_nonpositive(port::sub(score, port::set(maximum))), port::set(inverse));
    });
  }
  const float hidden = stage == ScoreStage::biased ? minus_infinity : 0.0F;
  for (std::uint32_t key = 0; key < seen.begin; ++key) row[key] = hidden;
  for (std::uint32_t key = seen.end; key < keys; ++key) row[key] = hidden;
}

}  // namespace heed::detail
