// SPDX-License-Identifier: MIT
#include "cache/ring_policy.hpp"

#include <port.hpp>

#include "attention/query_tile.hpp"
#include "cache/cache_parts.hpp"
#include "cache/ring.hpp"
#include "common/constants.hpp"
#include "common/parallel_for.hpp"
#include "common/validation.hpp"
#include "heed/cache.hpp"

namespace heed::detail {
namespace {

/// Whether a batch entry's slots are not in the order of time, and the call depends on it.
[[nodiscard]] bool is_wrapped(const AttentionRun& run, std::uint32_t batch) noexcept {
  const AttentionInputs& inputs = *run.inputs;
  return depends_on_order(inputs.causal, inputs.query_count, run.options) && inputs.page_table == nullptr &&
         has_wrapped(*inputs.cache, sequence_of(inputs.sequence_ids, batch));
}

[[nodiscard]] std::uint32_t tokens_in_ring(const AttentionRun& run, std::uint32_t batch) noexcept {
  return run.inputs->cache->tokens(sequence_of(run.inputs->sequence_ids, batch));
}

[[nodiscard]] KeyRange overlap(KeyRange a, KeyRange b) noexcept {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

/// f(range) for what lies within `keys` between the ranges seen(0), seen(1) and seen(2), which ascend.
template <class Seen, class Function>
void for_hidden(KeyRange keys, Seen seen, Function f) noexcept {
  for (std::uint32_t i = 0; i < 3; ++i) {
    const KeyRange range = seen(i);
    if (range.empty()) continue;
    f(KeyRange{keys.begin, range.begin});
    keys.begin = range.end;
  }
  f(keys);
}

}  // namespace

RingPolicy::RingPolicy(const AttentionRun& run, std::uint32_t batch, std::uint32_t key_length) noexcept
    : wrapped_(is_wrapped(run, batch)),
      hides_positions_(wrapped_ && hides_by_position(run.inputs->causal, run.inputs->query_count, run.options)),
      skips_blocks_(wrapped_ && (run.options->left_window != 0 || run.options->right_window != 0)),
      runs_{{}, {}, {{0, key_length}, 0}},
      options_(run, batch, wrapped_ ? tokens_in_ring(run, batch) : key_length) {
  if (!wrapped_) return;
  const KvCacheConfig& held = run.inputs->cache->plan().config;
  const std::uint32_t tokens = tokens_in_ring(run, batch);
  const std::uint32_t ring = held.max_keys - held.sink_tokens;
  const std::uint32_t next = held.sink_tokens + (tokens - held.sink_tokens) % ring;
  const auto first = [key_length](std::uint32_t slots) noexcept { return slots < key_length ? slots : key_length; };
  runs_[0] = {{0, first(held.sink_tokens)}, 0};
  runs_[1] = {{runs_[0].slots.end, first(next)}, tokens - next};
  runs_[2] = {{runs_[1].slots.end, key_length}, tokens - next - ring};
}

KeyRange RingPolicy::seen_in(const Run& run, std::uint32_t query, std::uint32_t first_key,
                             KeyRange keys) const noexcept {
  const KeyRange held = overlap(keys, within(run.slots, first_key, keys.end));
  if (held.empty()) return {};
  return overlap(held, within(options_.shifted(run.shift).visible(query), first_key, keys.end));
}

KeyRange RingPolicy::trim_masked_ends(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept {
  if (wrapped_) {
    KeyRange seen{};
    for (const Run& run : runs_) {
      const KeyRange part = seen_in(run, row.query, first_key, keys);
      if (part.empty()) continue;
      if (seen.empty()) seen.begin = part.begin;
      seen.end = part.end;
    }
    keys = seen;
  }
  return options_.trim_masked_ends(row, first_key, keys);
}

KeyRange RingPolicy::next_unmasked_run(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept {
  for (const Run& run : runs_) {
    const KeyRange unmasked = options_.next_unmasked_run(row, first_key, seen_in(run, row.query, first_key, keys));
    if (!unmasked.empty()) return unmasked;
  }
  return {keys.end, keys.end};
}

void RingPolicy::hide_masked(QueryRow row, KeyRange keys, float hidden, float* scores) const noexcept {
  if (!wrapped_) {
    options_.hide_masked(row, keys, hidden, scores);
    return;
  }
  // A mask may end before the slots do: it is read where a query may see by its position, and no further.
  for (const Run& run : runs_) options_.hide_masked(row, seen_in(run, row.query, 0, keys), hidden, scores);
  for_hidden(
      keys, [&](std::uint32_t i) noexcept { return seen_in(runs_[i], row.query, 0, keys); },
      [&](KeyRange gap) noexcept {
        for (std::uint32_t key = gap.begin; key < gap.end; ++key) scores[key] = hidden;
      });
}

void RingPolicy::bias_scores(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept {
  if (!wrapped_) {
    options_.bias_scores(block, rows, block_work);
    return;
  }
  if (block.any.empty()) return;
  for (const Run& run : runs_) bias_run(run, block, rows, block_work);
  options_.add_masks(block, rows, block_work);
  if (hides_positions_) mask_positions(block, rows);
}

void RingPolicy::mask_positions(const KeyBlock& block, const QueryRow* rows) const noexcept {
  const ScoreStrides strides = score_strides(block);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    const KeyRange keys = block.seen[r];
    float* row = block.scores + static_cast<std::ptrdiff_t>(r) * strides.row;
    for_hidden(
        keys, [&](std::uint32_t i) noexcept { return seen_in(runs_[i], rows[r].query, block.first_key, keys); },
        [&](KeyRange gap) noexcept {
          for (std::uint32_t key = gap.begin; key < gap.end; ++key) {
            row[static_cast<std::ptrdiff_t>(key) * strides.key] = minus_infinity;
          }
        });
  }
}

/// The biases may write whole panels where the keys are the lanes. In a panel that does not belong to the run alone,
/// they get one row at a time, and what they write beside the run is undone.
void RingPolicy::bias_run(const Run& run, const KeyBlock& block, const QueryRow* rows,
                          float* block_work) const noexcept {
  const KeyRange keys = overlap(block.any, within(run.slots, block.first_key, block.any.end));
  if (keys.empty()) return;
  const OptionPolicy options = options_.shifted(run.shift);
  RowGroup group = block.group;
  KeyBlock part{.plan = block.plan,
                .group = group,
                .first_key = block.first_key,
                .staged = block.staged,
                .scores = block.scores,
                .score_row = block.score_row};
  for (part.any = keys; part.any.begin < keys.end; part.any.begin = part.any.end) {
    const std::uint32_t panel = part.any.begin / panel_width * panel_width;
    const std::uint32_t whole = keys.end / panel_width * panel_width;
    if (group.columns || (part.any.begin == panel && panel < whole)) {
      part.any.end = group.columns ? keys.end : whole;
      options.bias_by_position(part, rows, block_work);
      continue;
    }
    part.any.end = keys.end < panel + panel_width ? keys.end : panel + panel_width;
    group.rows = 1;
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      float before[panel_width];
      part.scores = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
      float* lanes = part.scores + panel;
      port::store(before, port::load(lanes));
      options.bias_by_position(part, rows + r, block_work);
      for (std::uint32_t lane = 0; lane < panel_width; ++lane) {
        if (panel + lane < part.any.begin || panel + lane >= part.any.end) lanes[lane] = before[lane];
      }
    }
    group.rows = block.group.rows;
    part.scores = block.scores;
  }
}

namespace {

bool attend_in_ring(const AttentionRun& run, std::byte* arena, const Executor& executor) noexcept {
  if (!reorders_ring(run)) return false;
  static constexpr AttentionOptions none{};
  AttentionRun with_options = run;
  if (run.options == nullptr) with_options.options = &none;
  parallel_for_each(executor, run.plan->config.workers, run.tiles, QueryTiles<RingPolicy>{with_options, arena});
  return true;
}

}  // namespace
}  // namespace heed::detail

constexpr heed_ring_rules heed_kv_ring_with_positions = {
    heed::detail::slot_in_ring,          heed::detail::position_in_ring, heed::detail::check_ring_call,
    heed::detail::check_ring_layer_call, heed::detail::reorders_ring,    heed::detail::attend_in_ring};
