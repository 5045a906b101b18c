// SPDX-License-Identifier: MIT
//
// The task that a call is cut into: some query rows of one batch entry and key head, against the keys that they see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/panel_pairs.hpp>
#include <kernels/transpose.hpp>
#include <port.hpp>

#include "attention/causal_masking.hpp"
#include "attention/key_pass.hpp"
#include "attention/pass_pair.hpp"
#include "attention/row_group.hpp"
#include "attention/row_output.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Groups of at least this many rows put the queries in the lanes; smaller ones put the keys there, which wastes no
/// lane but needs the keys in panels. Where a cache has them in panels already, that pays for more rows; and for any
/// number where queries as the lanes pay in pairs of groups, but the tile is one group.
inline constexpr std::uint32_t column_rows = 9;
inline constexpr std::uint32_t column_rows_from_panels = 13;

/// plan.query_tile_rows query rows, or fewer at the end, in one worker's scratch. The parameters are those of TileWork.
template <class Policy, class Modifier>
class QueryTile {
 public:
  QueryTile(const AttentionRun& run, std::uint32_t tile, const Modifier& modifier, std::byte* scratch) noexcept
      : work_(run, tile, modifier, scratch) {}

  void run() noexcept;

  /// run() of OneIntegerBlock.
  void run_one_block() noexcept;

 private:
  /// The pass of the group that begins at row `first`, or of that and the next one; returns the row after them.
  [[nodiscard]] std::uint32_t run_groups(std::uint32_t first, std::uint32_t first_key, std::uint32_t width,
                                         bool stage) noexcept;
  [[nodiscard]] RowGroup group_at(std::uint32_t first) const noexcept;
  [[nodiscard]] KeyRange keys_to_score() const noexcept;
  [[gnu::noinline]] void stage_queries(const RowGroup& group) noexcept;
  [[gnu::noinline]] void finish(std::uint32_t row) const noexcept;

  TileWork<Policy, Modifier> work_;
};

template <class Policy, class Modifier>
void QueryTile<Policy, Modifier>::run() noexcept {
  const AttentionPlan& plan = work_.plan;
  const std::uint32_t rows = work_.rows.count;
  const KeyRange keys = keys_to_score();
  const std::uint32_t first_key = keys.begin / block_keys * block_keys;
  // The scores of a few rows leave room for those of several key blocks, which are then read without a pause.
  const bool several_blocks =
      rows < plan.row_group_rows && keys.end - first_key > block_keys && !work_.policy.skips_blocks();
  const std::uint32_t width =
      several_blocks ? port::whole_quotient(plan.row_group_rows, rows) * block_keys : block_keys;
  if constexpr (panels_at_once == 2) {
    if (work_.next.has_rows()) {
      work_.next.add_keys(work_.source, {keys.end, work_.policy.visible(work_.next.last_query()).end});
    }
  }
  std::uint32_t key = first_key;
  do {
    for (std::uint32_t first = 0; first < rows;) {
      const std::uint32_t end = run_groups(first, key, width, key == first_key);
      if (keys.end - key <= width) {
        for (std::uint32_t row = first; row < end; ++row) finish(row);
      }
      first = end;
    }
    key += width;
  } while (key < keys.end);
}

template <class Policy, class Modifier>
void QueryTile<Policy, Modifier>::run_one_block() noexcept {
  for (std::uint32_t first = 0; first < work_.rows.count;) {
    const RowGroup group = group_at(first);
    stage_queries(group);
    run_integer_pass(work_, group);
    for (const std::uint32_t end = first + group.rows; first < end; ++first) finish(first);
  }
}

template <class Policy, class Modifier>
std::uint32_t QueryTile<Policy, Modifier>::run_groups(std::uint32_t first, std::uint32_t first_key, std::uint32_t width,
                                                      bool stage) noexcept {
  const RowGroup group = group_at(first);
  const std::uint32_t end = first + group.rows;
  if (stage) stage_queries(group);
  if constexpr (panels_at_once == 2) {
    if (end < work_.rows.count && pairs_groups(work_.plan, work_.source)) {
      const RowGroup next = group_at(end);
      if (stage) stage_queries(next);
      if (next.columns) {
        run_pass_pair(work_, group, next, first_key);
        return end + next.rows;
      }
    }
  }
  run_pass(work_, group, first_key, width);
  return end;
}

template <class Policy, class Modifier>
RowGroup QueryTile<Policy, Modifier>::group_at(std::uint32_t first) const noexcept {
  const AttentionPlan& plan = work_.plan;
  const std::uint32_t left = work_.rows.count - first;
  const std::uint32_t rows = left < plan.row_group_rows ? left : plan.row_group_rows;
  std::uint32_t enough = work_.source.in_panels ? column_rows_from_panels : column_rows;
  if constexpr (panels_at_once == 2) {
    const bool in_place = work_.source.in_panels && work_.source.stored == nullptr;
    if (in_place && work_.rows.count <= panel_width) enough = panel_width + 1;
  }
  return {first, rows, !is_one_integer_block<Policy> && rows >= enough && plan.row_group_rows == panel_width,
          work_.scratch.queries + std::size_t{first} * plan.config.head_dim};
}

template <class Policy, class Modifier>
KeyRange QueryTile<Policy, Modifier>::keys_to_score() const noexcept {
  if (scores_need_every_key(work_.rows.run)) return {0, work_.source.count};
  // The later a query, the later the keys that it sees begin and end; so the first and the last query that see any
  // have the bounds of all.
  std::uint32_t first = work_.rows.at(0).query;
  std::uint32_t last = work_.rows.at(work_.rows.count - 1).query;
  KeyRange begins;
  while ((begins = work_.policy.visible(first)).empty() && first < last) ++first;
  KeyRange ends;
  while ((ends = work_.policy.visible(last)).empty() && first < last) --last;
  return begins.begin < ends.end ? KeyRange{begins.begin, ends.end} : KeyRange{};
}

template <class Policy, class Modifier>
void QueryTile<Policy, Modifier>::stage_queries(const RowGroup& group) noexcept {
  const std::uint32_t head_dim = work_.plan.config.head_dim;
  float* to = work_.scratch.queries + std::size_t{group.first} * head_dim;
  port::store(work_.scratch.sums + group.first, port::set(0.0F));
  const float* rows[panel_width];
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const QueryRow row = work_.rows.at(group.first + r);
    rows[r] = work_.rows.run.inputs->query.row(work_.rows.batch, row.head, row.query);
  }
  if (!is_one_integer_block<Policy> && group.columns) {
    to_panel(rows, group.rows, head_dim, work_.rows.run.query_factor, to);
    return;
  }
  for (std::uint32_t r = 0; r < group.rows; ++r, to += head_dim) {
    scale_row(rows[r], head_dim, work_.rows.run.query_factor, to);
  }
}

/// Writes the outputs of a row that has seen all of its keys.
template <class Policy, class Modifier>
void QueryTile<Policy, Modifier>::finish(std::uint32_t row) const noexcept {
  const QueryRow at = work_.rows.at(row);
  const TileScratch& scratch = work_.scratch;
  const AttentionOutputs& outputs = *work_.rows.run.outputs;
  RowResult result{scratch.accumulators + std::size_t{row} * work_.value_width, scratch.maxima[row], scratch.sums[row],
                   port::quotient(1.0F, scratch.sums[row])};
  if constexpr (Policy::has_options) result.inverse = work_.policy.inverse_of_sum(at.head, result.maximum, result.sum);
  if constexpr (is_one_integer_block<Policy>) {
    write_output(work_.rows.run, work_.rows.batch, at, result);
    return;
  }
  write_row(work_.rows.run, work_.rows.batch, at, result);
  if (outputs.scores.data == nullptr) return;
  float* scores = work_.policy.score_row(work_.rows.batch, at);
  if (scores == nullptr) return;
  if (result.has_visible_key()) result.visible = work_.policy.visible(at.query);
  finish_scores(scores, outputs.score_stage, work_.source.count, result);
  if constexpr (Policy::has_options) {
    if (is_masked(outputs.score_stage)) {
      work_.policy.hide_masked(at, result.visible, hidden_score(outputs.score_stage), scores);
    }
  }
}

/// The tiles of a call, as parallel_for_each() takes them.
template <class Policy, class Modifier = NoScoreMod>
struct QueryTiles {
  const AttentionRun& run;
  std::byte* arena;
  [[no_unique_address]] Modifier modifier{};

  /// Out of line, so that its frame is there once, with an executor and without.
  [[gnu::noinline]] void operator()(std::uint32_t worker, std::uint32_t tile) const noexcept {
    std::byte* scratch = arena + std::size_t{worker} * run.plan->worker_bytes;
    QueryTile<Policy, Modifier> work(run, tile, modifier, scratch);
    if constexpr (is_one_integer_block<Policy>) {
      work.run_one_block();
    } else {
      work.run();
    }
  }
};

}  // namespace heed_own_code
}  // namespace heed::detail
