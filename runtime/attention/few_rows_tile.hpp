// SPDX-License-Identifier: MIT
//
// Decode, where a port has kernels for a few rows: all rows of a key head in one go, with little between one product
// and the next. A core looks a few hundred instructions ahead, and must find the loads of the next keys or values
// among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/few_rows.hpp>

#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "attention/query_tile.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The tiles of a call without options, as parallel_for_each() takes them.
struct FewRowsTiles {
  const AttentionRun& run;
  std::byte* arena;

  /// Whether all rows of a key head see the same keys, which are float panels, and are few enough.
  [[nodiscard]] static bool take(const AttentionRun& run) noexcept {
    if (run.rows > few_rows || run.head_tiles != 1 || run.plan->row_group_rows < run.rows) return false;
    const AttentionInputs& inputs = *run.inputs;
    if (inputs.causal != Causal::none && inputs.query_count != 1) return false;
    if (run.outputs->scores.data != nullptr || run.plan->config.value_dim % panel_width != 0) return false;
    const KeyHead head{run, 0, 0};
    const KeySource source(head);
    return source.in_panels && source.stored == nullptr;
  }

  [[gnu::noinline]] void operator()(std::uint32_t worker, std::uint32_t tile) const noexcept {
    const AttentionPlan& plan = *run.plan;
    const AttentionConfig& config = plan.config;
    const TileRows rows(run, tile);
    const KeySource source(rows);
    const TileScratch scratch(plan, arena + std::size_t{worker} * plan.worker_bytes);
    for (std::uint32_t r = 0; r < rows.count; ++r) {
      const QueryRow at = rows.at(r);
      scale_row(run.inputs->query.row(rows.batch, at.head, at.query), config.head_dim, run.query_factor,
                scratch.queries + std::size_t{r} * config.head_dim);
    }
    RowPass pass{.rows = rows.count,
                 .head_dim = config.head_dim,
                 .value_dim = config.value_dim,
                 .keys = {},
                 .queries = scratch.queries,
                 .panels = source.keys,
                 .values = source.values,
                 .value_row = source.value_row,
                 .scores = scratch.scores,
                 .score_row = static_cast<std::ptrdiff_t>(plan.scored_keys)};
    const std::uint32_t keys = CausalMasking(run, rows.batch, source.length).visible(0).end;
    attend(pass, keys, scratch);
    if (keys == 0) port::store(scratch.sums, port::set(0.0F));
    for (std::uint32_t r = 0; r < rows.count; ++r) {
      const float sum = scratch.sums[r];
      write_row(run, rows.batch, rows.at(r),
                {scratch.accumulators + std::size_t{r} * config.value_dim, scratch.maxima[r], sum, 1.0F / sum});
    }
  }

 private:
  /// The first `keys` keys, one key block after the other.
  static void attend(RowPass& pass, std::uint32_t keys, const TileScratch& scratch) noexcept {
    const auto result_row = static_cast<std::ptrdiff_t>(pass.value_dim);
    for (std::uint32_t first = 0; first < keys; first += block_keys) {
      pass.keys = {0, least(keys - first, block_keys)};
      if (first == 0) {
        score_few_rows(pass, scratch.maxima);
        weigh_few_rows(pass, scratch.maxima, scratch.sums, scratch.accumulators, result_row);
      } else {
        float maxima[panel_width];
        float sums[panel_width];
        float before[panel_width];
        score_few_rows(pass, maxima);
        weigh_few_rows(pass, maxima, sums, scratch.block_work, result_row);
        merge_statistics(maxima, sums, scratch.maxima, scratch.sums, before);
        for (std::uint32_t r = 0; r < pass.rows; ++r) {
          const std::size_t row = std::size_t{r} * pass.value_dim;
          merge_row(scratch.block_work + row, before[r], maxima[r], pass.value_dim, scratch.accumulators + row);
        }
      }
      pass.panels += std::size_t{block_keys} * pass.head_dim;
      pass.values += static_cast<std::ptrdiff_t>(block_keys) * pass.value_row;
    }
  }
};

}  // namespace heed_own_code
}  // namespace heed::detail
