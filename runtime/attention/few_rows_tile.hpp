// SPDX-License-Identifier: MIT
//
// Decode, where a port has kernels for a few rows: all rows of a key head in one go, with little between one product
// and the next. A core looks a few hundred instructions ahead, and must find the loads of the next keys or values
// among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/few_rows.hpp>
#include <kernels/weigh_while_scoring.hpp>

#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "attention/query_tile.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The tiles of a call without options; parallel_for_each() takes `tasks` of them, which take the others.
struct FewRowsTiles {
  const AttentionRun& run;
  std::byte* arena;
  std::uint32_t tasks;  ///< that share the tiles

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

  /// All tiles of a worker in one go: the first, and each `tasks` after another.
  [[gnu::noinline]] void operator()(std::uint32_t worker, std::uint32_t first_tile) const noexcept {
    const TileScratch scratch(*run.plan, arena + std::size_t{worker} * run.plan->worker_bytes);
    if constexpr (rows_weighed_while_scoring != 0) {
      take_two_blocks(first_tile, scratch);
    } else {
      take_blocks(first_tile, scratch);
    }
  }

 private:
  /// A key block of a tile.
  struct Turn {
    std::uint32_t place;  ///< of its queries and scores in the scratch
    std::uint32_t tile = 0;
    std::uint32_t first = 0;  ///< key of the block
    std::uint32_t keys = 0;   ///< of the tile
    RowPass pass{};
    float maxima[panel_width] = {};

    [[nodiscard]] bool is_last() const noexcept { return keys - first <= block_keys; }
  };

  /// Whether the values of one key block and the keys of the next, which may be those of the next key head, are
  /// multiplied at once.
  [[nodiscard]] bool takes_two_blocks() const noexcept {
    const AttentionPlan& plan = *run.plan;
    return run.rows <= rows_weighed_while_scoring && plan.config.value_dim == 4 * panel_width &&
           2 * run.rows <= least(plan.query_tile_rows, plan.row_group_rows);
  }

  /// One block after the other.
  [[gnu::always_inline]] void take_blocks(std::uint32_t first_tile, const TileScratch& scratch) const noexcept {
    Turn turn{.place = 0, .tile = first_tile};
    while (open(turn.tile, scratch, turn)) {
      for (;; go_on(turn, scratch, turn)) {
        float sums[panel_width];
        score_few_rows(turn.pass, turn.maxima);
        weigh_few_rows(turn.pass, turn.maxima, sums, result_of(turn, scratch),
                       static_cast<std::ptrdiff_t>(turn.pass.value_dim));
        join(turn, sums, scratch);
        if (turn.is_last()) break;
      }
      write(turn, scratch);
      if (run.tiles - turn.tile <= tasks) return;
      turn.tile += tasks;
    }
  }

  /// The same, two at once where takes_two_blocks() says so.
  [[gnu::always_inline]] void take_two_blocks(std::uint32_t first_tile, const TileScratch& scratch) const noexcept {
    const bool at_once = takes_two_blocks();
    Turn turns[2] = {{.place = 0}, {.place = at_once ? 1U : 0U}};
    Turn* now = &turns[0];
    Turn* next = &turns[1];
    if (!open(first_tile, scratch, *now)) return;
    score_few_rows(now->pass, now->maxima);
    for (bool more = true; more;) {
      float sums[panel_width];
      float* const result = result_of(*now, scratch);
      const auto width = static_cast<std::ptrdiff_t>(now->pass.value_dim);
      if (at_once) more = follow(*now, scratch, *next);
      if (at_once && more) {
        weigh_while_scoring(now->pass, now->maxima, sums, result, width, next->pass, next->maxima);
      } else {
        weigh_few_rows(now->pass, now->maxima, sums, result, width);
      }
      join(*now, sums, scratch);
      if (now->is_last()) write(*now, scratch);
      if (!at_once) {
        more = follow(*now, scratch, *next);
        if (more) score_few_rows(next->pass, next->maxima);
      }
      Turn* const done = now;
      now = next;
      next = done;
    }
  }

  /// Where the weighed values of a block go, in rows of value_dim floats.
  [[nodiscard]] static float* result_of(const Turn& turn, const TileScratch& scratch) noexcept {
    return turn.first == 0 ? scratch.accumulators : scratch.block_work;
  }

  [[nodiscard]] float* scores_of(const Turn& turn, std::uint32_t rows, const TileScratch& scratch) const noexcept {
    return scratch.scores + turn.place * std::size_t{rows} * run.plan->scored_keys;
  }

  /// The first block of `tile`, or of the next one of the worker that has keys; false where none has.
  [[nodiscard]] bool open(std::uint32_t tile, const TileScratch& scratch, Turn& turn) const noexcept {
    const AttentionPlan& plan = *run.plan;
    const AttentionConfig& config = plan.config;
    for (;; tile += tasks) {
      const TileRows rows(run, tile);
      const KeySource source(rows);
      turn.tile = tile;
      turn.first = 0;
      turn.keys = CausalMasking(run, rows.batch, source.length).visible(0).end;
      float* const queries = scratch.queries + turn.place * std::size_t{rows.count} * config.head_dim;
      turn.pass = {.rows = rows.count,
                   .head_dim = config.head_dim,
                   .value_dim = config.value_dim,
                   .keys = {0, least(turn.keys, block_keys)},
                   .queries = queries,
                   .panels = source.keys,
                   .values = source.values,
                   .value_row = source.value_row,
                   .scores = scores_of(turn, rows.count, scratch),
                   .score_row = static_cast<std::ptrdiff_t>(plan.scored_keys)};
      for (std::uint32_t r = 0; r < rows.count; ++r) {
        const QueryRow at = rows.at(r);
        if (turn.keys == 0) {
          write_row(run, rows.batch, at, {scratch.accumulators, lowest, 0.0F, 0.0F});
        } else {
          scale_row(run.inputs->query.row(rows.batch, at.head, at.query), config.head_dim, run.query_factor,
                    queries + std::size_t{r} * config.head_dim);
        }
      }
      if (turn.keys != 0) return true;
      if (run.tiles - tile <= tasks) return false;
    }
  }

  /// The block after that of `now`, of the same tile or of the next one.
  [[nodiscard]] bool follow(const Turn& now, const TileScratch& scratch, Turn& next) const noexcept {
    if (now.is_last()) return run.tiles - now.tile > tasks && open(now.tile + tasks, scratch, next);
    go_on(now, scratch, next);
    return true;
  }

  /// The next block of the same tile; `next` may be `now`.
  void go_on(const Turn& now, const TileScratch& scratch, Turn& next) const noexcept {
    next.tile = now.tile;
    next.keys = now.keys;
    next.first = now.first + block_keys;
    next.pass = now.pass;
    next.pass.scores = scores_of(next, now.pass.rows, scratch);
    next.pass.keys.end = least(next.keys - next.first, block_keys);
    next.pass.panels += std::size_t{block_keys} * now.pass.head_dim;
    next.pass.values += static_cast<std::ptrdiff_t>(block_keys) * now.pass.value_row;
  }

  /// Joins a block to those of its tile before it.
  static void join(Turn& turn, const float* sums, const TileScratch& scratch) noexcept {
    if (turn.first == 0) {
      port::store(scratch.maxima, port::load(turn.maxima));
      port::store(scratch.sums, port::load(sums));
      return;
    }
    float before[panel_width];
    merge_statistics(turn.maxima, sums, scratch.maxima, scratch.sums, before);
    for (std::uint32_t r = 0; r < turn.pass.rows; ++r) {
      const std::size_t row = std::size_t{r} * turn.pass.value_dim;
      merge_row(scratch.block_work + row, before[r], turn.maxima[r], turn.pass.value_dim, scratch.accumulators + row);
    }
  }

  void write(const Turn& turn, const TileScratch& scratch) const noexcept {
    const TileRows rows(run, turn.tile);
    for (std::uint32_t r = 0; r < rows.count; ++r) {
      const float sum = scratch.sums[r];
      write_row(run, rows.batch, rows.at(r),
                {scratch.accumulators + std::size_t{r} * turn.pass.value_dim, scratch.maxima[r], sum, 1.0F / sum});
    }
  }
};

}  // namespace heed_own_code
}  // namespace heed::detail
