// SPDX-License-Identifier: MIT
//
// One row group's pass over some keys: masking, scores, what options do to them, softmax, values, and the result joined
// to that of the keys before. A pass is one key block, or several of them that are scored together; pass_pair.hpp has
// the pass of two groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/merge.hpp>
#include <kernels/panel_pairs.hpp>
#include <kernels/short_stack.hpp>
#include <port.hpp>
#include <type_traits>

#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "attention/key_block.hpp"
#include "attention/key_products.hpp"
#include "attention/mask_keys.hpp"
#include "attention/next_tile.hpp"
#include "attention/row_group.hpp"
#include "attention/row_output.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// One worker's scratch, as the plan lays it out.
struct TileScratch {
  float* queries;
  float* staged;
  float* scores;
  float* block_work;
  float* accumulators;
  float* maxima;
  float* sums;

  TileScratch(const AttentionPlan& plan, std::byte* scratch) noexcept
      : queries(at(scratch, plan.queries)),
        staged(at(scratch, plan.keys)),
        scores(at(scratch, plan.scores)),
        block_work(at(scratch, plan.block_work)),
        accumulators(at(scratch, plan.accumulators)),
        maxima(at(scratch, plan.statistics)),
        sums(maxima + round_up(plan.query_tile_rows, panel_width)) {}

 private:
  [[nodiscard]] static float* at(std::byte* scratch, const Region& region) noexcept {
    return reinterpret_cast<float*>(scratch + region.offset);
  }
};

/// The score modifier of a call that has none; options/attend_with_score_mod.hpp has the other one.
struct NoScoreMod {
  static constexpr bool changes_scores = false;
};

/// What the passes of a tile share. ScorePolicy says which keys a query sees and what is done to a score:
/// CausalMasking, OptionPolicy or RingPolicy.
template <class ScorePolicy, class ScoreModifier>
struct TileWork {
  using Policy = ScorePolicy;
  using Modifier = ScoreModifier;

  const AttentionPlan& plan;
  TileRows rows;
  KeySource source;
  ScorePolicy policy;
  [[no_unique_address]] ScoreModifier modifier;
  TileScratch scratch;
  std::uint32_t value_width;  ///< value_dim rounded up to 16
  /// Prefetched between the products of pairs of groups.
  [[no_unique_address]] std::conditional_t<panels_at_once == 2, NextTile, NoNextTile> next;
  std::uint32_t started = 0;  ///< a bit for each group, of at most four, whose accumulators hold something
  /// The keys of the pass that each row sees, of the one group at work or of two.
  KeyRange seen[panels_at_once * panel_width];

  TileWork(const AttentionRun& call, std::uint32_t tile, const ScoreModifier& score_modifier,
           std::byte* memory) noexcept
      : plan(*call.plan),
        rows(call, tile),
        source(rows),
        policy(call, rows.batch, source.length),  // NOLINT(clang-analyzer-core.CallAndMessage): a base sets batch
        modifier(score_modifier),
        scratch(plan, memory),
        value_width(static_cast<std::uint32_t>(round_up(plan.config.value_dim, panel_width))),
        next(call, tile, rows) {}
};

/// Leaves the base-2 scores of the keys that are scored, or of those that a row sees, in the output; finish_scores()
/// turns them into what is wanted.
template <class Work>
[[gnu::noinline]] void write_scores(const Work& work, const KeyBlock& block, bool seen_only) noexcept {
  const ScoreStrides strides = score_strides(block);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    const KeyRange keys = seen_only ? block.seen[r] : block.scored;
    const float* from = block.scores + static_cast<std::ptrdiff_t>(r) * strides.row;
    float* to = work.policy.score_row(work.rows.batch, work.rows.at(block.group.first + r));
    if (to == nullptr) continue;
    to += block.first_key;
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
      to[key] = from[static_cast<std::ptrdiff_t>(key) * strides.key];
    }
  }
}

/// The options' steps between the product and the softmax, with the scores written out where they are asked for.
template <class Work>
void change_scores(Work& work, const KeyBlock& pass) noexcept {
  const bool wanted = work.rows.run.outputs->scores.data != nullptr;
  const ScoreStage stage = work.rows.run.outputs->score_stage;
  QueryRow rows[panel_width];
  for (std::uint32_t r = 0; r < pass.group.rows; ++r) rows[r] = work.rows.at(pass.group.first + r);
  if (wanted && stage == ScoreStage::raw) write_scores(work, pass, false);
  work.policy.softcap_scores(pass, rows, work.scratch.block_work);
  if (wanted && stage == ScoreStage::softcapped) write_scores(work, pass, false);
  if constexpr (Work::Modifier::changes_scores) work.modifier.change_scores(pass, work.rows.batch, rows);
  work.policy.bias_scores(pass, rows, work.scratch.block_work);
  if (wanted && is_masked(stage)) write_scores(work, pass, true);
}

/// Joins what a key block has left in block_work to the result of those before.
template <class Work>
[[gnu::noinline]] void join_block(const Work& work, const RowGroup& group, float* maxima, const float* sums) noexcept {
  const TileScratch& scratch = work.scratch;
  float before[panel_width];
  merge_statistics(maxima, sums, scratch.maxima + group.first, scratch.sums + group.first, before);
  const float* block = scratch.block_work;
  float* result = scratch.accumulators + std::size_t{group.first} * work.value_width;
  for (std::uint32_t r = 0; r < group.rows; ++r, block += work.value_width, result += work.value_width) {
    merge_row(block, before[r], maxima[r], work.value_width, result);
  }
}

/// Weights and values of one key block that has been scored, joined to the result of those before.
template <class Work>
[[gnu::always_inline]] inline void accumulate_block(Work& work, const KeyBlock& block, float* maxima) noexcept {
  if (block.any.empty()) return;
  const RowGroup& group = block.group;
  const TileScratch& scratch = work.scratch;
  const std::uint32_t bit = std::uint32_t{1} << port::whole_quotient(group.first, work.plan.row_group_rows);
  const bool is_first = (work.started & bit) == 0;
  work.started |= bit;
  float sums[panel_width];
  float* const result =
      is_first ? scratch.accumulators + std::size_t{group.first} * work.value_width : scratch.block_work;
  bool weighed = false;
  if constexpr (has_few_rows) {
    weighed = weigh_few(block, work.rows, work.policy, work.source, maxima, sums, result);
  }
  const StoredKeys* const stored = work.source.stored;
  if (stored != nullptr && stored->weigh_values != nullptr) {
    stored->weigh_values(block, work.source, maxima, sums, result);
  } else if (!weighed) {
    bool hidden = false;
    if constexpr (Work::Policy::has_options) hidden = hide_unseen(block);
    weigh_keys(block, hidden, maxima, sums, scratch.block_work);
    multiply_values(block, work.rows, work.policy, work.source, result);
  }
  if (is_first) {
    port::store(scratch.maxima + group.first, port::load(maxima));
    port::store(scratch.sums + group.first, port::load(sums));
  } else {
    join_block(work, group, maxima, sums);
  }
}

/// The same out of line, for calls with options, which take much stack beside it, and where stack is short.
template <class Work>
[[gnu::noinline]] void accumulate_apart(Work& work, const KeyBlock& block, float* maxima) noexcept {
  accumulate_block(work, block, maxima);
}

/// What a group sees and scores of the `width` keys from `first_key` on, block_keys of them or a multiple.
template <class Work>
[[nodiscard, gnu::always_inline]] inline KeyBlock begin_pass(Work& work, const RowGroup& group, std::uint32_t first_key,
                                                             std::uint32_t width, std::uint32_t place) noexcept {
  KeyBlock pass{.plan = work.plan,
                .group = group,
                .first_key = first_key,
                .staged = work.scratch.staged,
                .scores = work.scratch.scores,
                .score_row = static_cast<std::ptrdiff_t>(std::size_t{width / block_keys} * work.plan.scored_keys)};
  mask_keys(work, pass, width, work.seen + place);
  const bool every_key = !is_one_integer_block<typename Work::Policy> && scores_need_every_key(work.rows.run);
  pass.scored = every_key ? within({0, work.source.count}, first_key, width) : pass.any;
  return pass;
}

/// All that follows the scores. `pass` becomes one of its key blocks after the other.
template <class Work>
[[gnu::always_inline]] inline void end_pass(Work& work, KeyBlock& pass, std::uint32_t first_key, std::uint32_t width,
                                            float* maxima) noexcept {
  if constexpr (Work::Policy::has_options) {
    pass.changed = pass.holes || work.policy.changes_scores() || Work::Modifier::changes_scores;
    change_scores(work, pass);
  } else {
    if (work.rows.run.outputs->scores.data != nullptr) write_scores(work, pass, false);
  }
  const std::uint32_t end = first_key + pass.any.end;
  for (; pass.first_key < end; pass.first_key += block_keys, pass.scores += block_keys) {
    if (width != block_keys) mask_keys(work, pass, block_keys, work.seen);
    if constexpr (Work::Policy::has_options || stack_is_short) {
      accumulate_apart(work, pass, maxima);
    } else {
      accumulate_block(work, pass, maxima);
    }
  }
}

/// The one pass of a row group of OneIntegerBlock.
template <class Work>
void run_integer_pass(Work& work, const RowGroup& group) noexcept {
  KeyBlock pass = begin_pass(work, group, 0, block_keys, 0);
  if (pass.any.empty()) return;
  score_rows<true>(pass, work.source, whole_panels(pass.any));
  const TileScratch& scratch = work.scratch;
  float maxima[panel_width];
  float sums[panel_width];
  work.source.stored->weigh_values(pass, work.source, maxima, sums,
                                   scratch.accumulators + std::size_t{group.first} * work.value_width);
  port::store(scratch.sums + group.first, port::load(sums));
}

template <class Work>
void run_pass(Work& work, const RowGroup& group, std::uint32_t first_key, std::uint32_t width) noexcept {
  KeyBlock pass = begin_pass(work, group, first_key, width, 0);
  if (pass.scored.empty()) return;
  float maxima[panel_width];
  score_keys(pass, work.source, maxima);
  end_pass(work, pass, first_key, width, maxima);
}

}  // namespace heed_own_code
}  // namespace heed::detail
