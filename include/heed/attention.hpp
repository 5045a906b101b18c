// SPDX-License-Identifier: MIT
//
// Scaled dot-product attention over tensors or a cache, without options; and its results over parts of the keys,
// merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/detail/linked_code.hpp"
#include "heed/detail/rounded_row.hpp"
#include "heed/heed_attention.h"
#include "heed/types.hpp"

namespace heed {

namespace detail {

/// Defaults have been filled in, so that only head_dim, and value_dim with it, can be 0.
template <class Say>
[[nodiscard]] constexpr Status check_heads(std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t head_dim,
                                           std::uint32_t value_dim, Say say) noexcept {
  if (head_dim == 0) return say(Status::zero_dimension, "head_dim", head_dim, 1, max_dimension);
  if (heads > max_dimension) return say(Status::too_large, "heads", heads, 1, max_dimension);
  if (head_dim > max_dimension) return say(Status::too_large, "head_dim", head_dim, 1, max_dimension);
  if (value_dim > max_dimension) return say(Status::too_large, "value_dim", value_dim, 1, max_dimension);
  if (heads % kv_heads != 0) {
    return say(Status::heads_not_divisible, "kv_heads", kv_heads, 1, heads, "must divide heads");
  }
  return Status::ok;
}

/// Scratch for the given row and key counts; the offsets are those of one worker.
constexpr void lay_out(AttentionPlan& plan, Layout& layout) noexcept {
  const std::uint64_t value_width = round_up(plan.config.value_dim, panel_width);
  plan.queries = layout.add(RegionName::scaled_queries, plan.query_tile_rows, plan.config.head_dim, sizeof(float));
  if (plan.config.integers != 0) {
    const std::uint64_t query = rounded_row_bytes(plan.config.head_dim);
    const std::uint64_t weights = rounded_row_bytes(plan.scored_keys);
    plan.keys = layout.add(RegionName::rounded_rows, plan.row_group_rows, query > weights ? query : weights, 1);
  } else {
    plan.keys = layout.add(RegionName::key_panels, plan.staged_keys, plan.config.head_dim, sizeof(float));
  }
  plan.scores = layout.add(RegionName::scores, plan.row_group_rows, plan.scored_keys, sizeof(float));
  plan.block_work = layout.add(RegionName::block_outputs, plan.row_group_rows, value_width, sizeof(float));
  plan.accumulators = layout.add(RegionName::outputs, plan.query_tile_rows, value_width, sizeof(float));
  plan.statistics =
      layout.add(RegionName::maxima_and_sums, 2 * round_up(plan.query_tile_rows, panel_width), 1, sizeof(float));
  plan.worker_bytes = layout.bytes();
}

}  // namespace detail

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was.
/// Statuses: zero_dimension, heads_not_divisible, too_large, bad_workers.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(AttentionConfig config, AttentionPlan& plan, Say say = {}) noexcept {
  if (config.heads == 0) config.heads = 1;
  if (config.kv_heads == 0) config.kv_heads = config.heads;
  if (config.value_dim == 0) config.value_dim = config.head_dim;
  if (config.max_keys == 0) config.max_keys = max_rows;
  if (config.workers == 0) config.workers = 1;
  if (config.scratch_budget == 0) config.scratch_budget = 128 * 1024;
  config.integers = config.integers != 0 ? 1 : 0;
  const Status status = detail::check_heads(config.heads, config.kv_heads, config.head_dim, config.value_dim, say);
  if (status != Status::ok) return status;
  if (config.max_keys > max_rows) return say(Status::too_large, "max_keys", config.max_keys, 1, max_rows);
  if (config.workers > max_workers) return say(Status::bad_workers, "workers", config.workers, 1, max_workers);

  struct Staging {
    std::uint32_t query_tile_rows, row_group_rows, staged_keys;
  };
  constexpr Staging choices[] = {{64, 16, 64}, {32, 16, 64}, {16, 16, 64}, {16, 16, 32}, {16, 16, 16}, {12, 12, 16},
                                 {8, 8, 16},   {6, 6, 16},   {4, 4, 16},   {2, 2, 16},   {1, 1, 16}};
  AttentionPlan made{.config = config};
  made.scored_keys =
      config.max_keys < block_keys ? static_cast<std::uint32_t>(round_up(config.max_keys, panel_width)) : block_keys;
  bool fits = false;
  for (const Staging& choice : choices) {
    // Sixteen rows would be scored in columns.
    if (config.integers != 0 && choice.row_group_rows == panel_width) continue;
    made.query_tile_rows = choice.query_tile_rows;
    made.row_group_rows = choice.row_group_rows;
    made.staged_keys = choice.staged_keys < made.scored_keys ? choice.staged_keys : made.scored_keys;
    Layout layout;
    detail::lay_out(made, layout);
    fits = layout.fits();
    if (fits && made.worker_bytes <= config.scratch_budget) break;
  }
  if (!fits || made.worker_bytes > UINT32_MAX / config.workers) return detail::sizes_too_large(say);
  made.bytes = made.worker_bytes * config.workers;
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval AttentionPlan plan(const AttentionConfig& config) {
  AttentionPlan made{};
  detail::require(make_plan(config, made));
  return made;
}

/// softmax(scale * Q K^T + masks) V, the scaled dot-product attention of Vaswani et al. 2017 (arXiv:1706.03762), for
/// every batch entry and head; query head h reads key head h / (heads / kv_heads).
///
/// `arena` is at least plan.bytes on a 64-byte boundary; its content means nothing before and after.
/// A row's result depends on its own query and on the keys and values it sees, and on nothing else, in a thread whose
/// float_environment_is_standard().
/// NaN in a visible score makes that row NaN; in a masked key or value, NaN and infinity never affect the output. Of a
/// NaN in an output, sign and payload are not promised.
/// A visible key with a score of -inf has the weight 0. A query whose visible scores are all -inf counts as one that
/// sees no key, whatever made them so: output 0, weights 0, log-sum-exp -inf.
/// Scores are held as multiples of ln 2, so one beyond 2.3e38 counts as infinite. Values times weights of at most 1 are
/// summed before they are divided by the sum of the weights: an output whose sum is beyond 3.4e38 is infinite, which
/// values of at most 3.4e38 / (visible keys) never are.
///
/// Statuses: not_initialised (the plan or the cache); zero_dimension, too_large (the counts); bad_scale; bad_option (no
/// such `causal` or `score_stage`); plan_mismatch (a cache of other dimensions, or whose values are not float32 and
/// longer than sixteen keys; a plan for integers without a cache of int8_integer, or such a cache without it; a
/// page_table over a cache whose max_keys is no multiple of 16); missing_format (the cache has no kv_pages, or no
/// kv_ring_with_positions where the order of a ring's slots matters); bad_sequence; ring_wrapped (a page has wrapped
/// around); keys_exceed_plan; bad_length (key_lengths, also beyond the pages); null_pointer, bad_stride, overlap (the
/// tensors); null_pointer (a page_table without key_lengths); null_pointer, arena_too_small, arena_misaligned.
[[nodiscard]] Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
                            const AttentionOutputs& outputs, const Executor& executor) noexcept;

namespace detail {

/// attend() in integers, over at most block_keys keys, without scores and log-sum-exp.
[[nodiscard]] Status attend_one_block(const AttentionPlan& plan, std::span<std::byte> arena,
                                      const AttentionInputs& inputs, const AttentionOutputs& outputs) noexcept;

}  // namespace detail

/// The same in the calling thread. Where the compiler sees that the plan is one for integers and at most 256 keys
/// (`constexpr`), and that neither scores nor log-sum-exp are wanted, a program links the code for that alone, not for
/// floats and for what joins blocks of keys.
[[nodiscard, gnu::always_inline]] inline Status attend(const AttentionPlan& plan, std::span<std::byte> arena,
                                                       const AttentionInputs& inputs,
                                                       const AttentionOutputs& outputs) noexcept {
  const bool one_block = plan.config.integers != 0 && plan.config.max_keys <= block_keys;
  const bool output_alone = outputs.scores.data == nullptr && outputs.log_sum_exp == nullptr;
  if (detail::is_known(one_block && output_alone)) return detail::attend_one_block(plan, arena, inputs, outputs);
  return attend(plan, arena, inputs, outputs, {});
}

/// Attention over the keys of all parts together, from attend()'s result for each: a long context in pieces, or a part
/// of it that several sequences share. Parts are summed in the order given, each with the weight
/// exp(its log-sum-exp - that of all). `output` [batch, heads, queries, value_dim] and `log_sum_exp` (or null) may be
/// those of the first part. Every dimension is at least 1; without parts, or where the log-sum-exp of every part is
/// -inf, the result is 0 and -inf. A part is not read in the rows where its log-sum-exp is -inf.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride.
[[nodiscard]] Status merge(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries, std::uint32_t value_dim,
                           std::span<const PartialAttention> parts, MutableTensor output, float* log_sum_exp) noexcept;

}  // namespace heed
