// SPDX-License-Identifier: MIT
//
// attend() with a function of your own on every score, compiled into the loop over the scores: link heed::kernels,
// which brings the headers of the runtime and of the port and the flags of both, include this header as
// "options/attend_with_score_mod.hpp" and call it from one of your source files. Nobody else pays for it.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "attention/attention_check.hpp"
#include "attention/attention_run.hpp"
#include "attention/query_tile.hpp"
#include "cache/cache_parts.hpp"
#include "cache/ring.hpp"
#include "common/constants.hpp"
#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "heed/options.hpp"
#include "options/option_policy.hpp"
#include "options/options_check.hpp"

namespace heed {

/// score = modifier(score, batch, head, query, key), after the softcap and before masks and biases; `key` is the key's
/// number in its batch entry. It must depend on nothing else. Called for masked scores, too.
template <class Modifier>
concept ScoreMod = requires(const Modifier& modifier, float score, std::uint32_t index) {
  { modifier(score, index, index, index, index) }
  noexcept->std::same_as<float>;
};

namespace detail {

/// What a key pass does with a modifier, between softcap and biases.
template <ScoreMod Modifier>
struct ModifiedScores {
  static constexpr bool changes_scores = true;

  const Modifier& modifier;

  void change_scores(const KeyBlock& block, std::uint32_t batch, const QueryRow* rows) const noexcept {
    const ScoreStrides strides = score_strides(block);
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      for (std::uint32_t key = block.any.begin; key < block.any.end; ++key) {
        float& score =
            block.scores[static_cast<std::ptrdiff_t>(r) * strides.row + static_cast<std::ptrdiff_t>(key) * strides.key];
        score = log2_e * modifier(score * ln_2, batch, rows[r].head, rows[r].query, block.first_key + key);
      }
    }
  }
};

}  // namespace detail

/// attend() with options and a modifier. The same promises hold if the modifier gives the same bits everywhere.
/// Statuses: those of attend() with options; ring_wrapped: a sequence has wrapped around, and the order of its slots
/// matters.
template <ScoreMod Modifier>
[[nodiscard]] Status attend_with_score_mod(const AttentionPlan& plan, std::span<std::byte> arena,
                                           const AttentionInputs& inputs, const AttentionOptions& options,
                                           const AttentionOutputs& outputs, const Modifier& modifier,
                                           const Executor& executor = {}) noexcept {
  Status status = detail::check_attention(plan, inputs, options, outputs);
  if (status == Status::ok) status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  detail::assert_plan_unchanged(plan);
  detail::AttentionRun run = detail::make_run(plan, detail::reader_of(inputs), inputs, outputs, inputs.query_count);
  run.options = &options;
  const KvRing* const ring = inputs.cache != nullptr ? detail::CacheAccess::ring(*inputs.cache) : nullptr;
  if (ring != nullptr && ring->reorders != nullptr && ring->reorders(run)) return Status::ring_wrapped;
  using Tiles = detail::QueryTiles<detail::OptionPolicy, detail::ModifiedScores<Modifier>>;
  detail::parallel_for_each(executor, plan.config.workers, run.tiles, Tiles{run, arena.data(), {modifier}});
  return Status::ok;
}

}  // namespace heed
