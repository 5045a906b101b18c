// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/detail/layout.hpp"
#include "heed/executor.hpp"
#include "heed/explanation.hpp"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

class KvCache;

/// What is fixed before the first run. Batch, query count and key count are free at run time and cost no memory.
struct AttentionConfig {
  std::uint32_t heads = 1;           ///< query heads, 1..65536; 0 means 1
  std::uint32_t kv_heads = 0;        ///< key and value heads; heads is a multiple of it; 0 means heads
  std::uint32_t head_dim = 0;        ///< length of a query and of a key, 1..65536; multiples of 16 are fastest
  std::uint32_t value_dim = 0;       ///< length of a value; 0 means head_dim
  std::uint32_t max_keys = 0;        ///< most keys a run may have; a bound below 256 saves scratch; 0 means 2^30
  std::uint32_t workers = 1;         ///< most tasks handed to the executor at once, 1..64; 0 means 1
  std::uint32_t scratch_budget = 0;  ///< bytes of scratch per worker to aim for; 0 means 128 KiB. It never changes a
                                     ///< bit of the result; the smallest working scratch is used if even that is more

  friend constexpr bool operator==(const AttentionConfig&, const AttentionConfig&) noexcept = default;
};

/// Sizes and offsets that follow from a configuration, the same on every port. The arena is scratch only: its content
/// means nothing between runs.
/// Use it as make_plan() wrote it: a changed one makes calls write outside of their memory; a debug build traps.
struct AttentionPlan {
  AttentionConfig config = detail::zeros<AttentionConfig>();  ///< with every 0 replaced by what it means
  std::uint32_t row_group_rows = 0;                           ///< query rows that share one pass over a key block
  std::uint32_t query_tile_rows = 0;                          ///< query rows of one task, a multiple of row_group_rows
  std::uint32_t staged_keys = 0;  ///< keys held in panels at a time when they do not come from a cache
  std::uint32_t scored_keys = 0;  ///< width of a score row: block_keys, or less where max_keys is

  Region queries{};  ///< float [query_tile_rows, head_dim], scaled
  Region keys{};     ///< float [staged_keys / 16, head_dim, 16], or the scores of another row group if they fit
  Region scores{};   ///< float [row_group_rows, scored_keys]
  /// float [row_group_rows, value_dim rounded up to 16]: what the work on one key block needs. Biases and masks on
  /// their way to the scores, then the sums of weights by lane, then the output of a key block that joins earlier ones.
  Region block_work{};
  Region accumulators{};  ///< float [query_tile_rows, value_dim rounded up to 16]
  Region statistics{};    ///< float [2, query_tile_rows rounded up to 16]: running maximum, running sum

  std::uint32_t worker_bytes = 0;  ///< one worker's scratch: the regions above
  std::uint32_t bytes = 0;         ///< the arena, all of it scratch: workers * worker_bytes

  friend constexpr bool operator==(const AttentionPlan&, const AttentionPlan&) noexcept = default;
};

namespace detail {

/// None of them is 0 but head_dim, and with it value_dim.
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
  plan.keys = layout.add(RegionName::key_panels, plan.staged_keys, plan.config.head_dim, sizeof(float));
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

/// Which keys a query may see. Query i of a batch entry with `length` visible keys sees the keys j <= i + offset.
enum class Causal : std::uint8_t {
  none,          ///< all of them
  top_left,      ///< offset = 0: query 0 sees key 0
  bottom_right,  ///< offset = length - queries: the last query sees the last key
  offset,        ///< offset = causal_offset
};

/// What a run reads; batch * heads * queries stays below 2^32. Sizes are in elements; `length` of batch entry b is
/// key_lengths[b], or the sequence's length in the cache, or key_count.
///
/// With a cache, batch entry b reads sequence sequence_ids[b]. Its keys are the slots: key_lengths, bool and additive
/// masks, pre-softcap biases and returned scores are indexed by slot. Causal masks, prefixes, windows, ALiBi and
/// relative biases use positions: the key in slot s is at cache.position(sequence, s). In a ring that has wrapped
/// around, tokens(sequence) takes the place of the key length in Causal::bottom_right: query i is at position
/// tokens - queries + i.
///
/// With a page table, for which the cache has kv_pages, key j of batch entry b is token j % max_keys of the page
/// page_table[b][j / max_keys], a sequence of the cache, and key_lengths says how many there are; max_keys of the cache
/// is a multiple of 16 then. Batch entries may share pages: a prefix that is common to several of them is stored and
/// appended once, and the result has the bits of a copy for each.
struct AttentionInputs {
  std::uint32_t batch = 1;        ///< 1..2^30
  std::uint32_t query_count = 0;  ///< per batch entry, 1..2^30
  std::uint32_t key_count = 0;    ///< per batch entry, 0..max_keys; not read when `cache` is set
  ConstTensor query{};            ///< [batch, heads, queries, head_dim]
  ConstTensor key{};              ///< [batch, kv_heads, keys, head_dim]; not read when `cache` is set
  ConstTensor value{};            ///< [batch, kv_heads, keys, value_dim]; not read when `cache` is set

  const KvCache* cache = nullptr;               ///< keys and values come from here instead
  const std::uint32_t* sequence_ids = nullptr;  ///< [batch] sequence of each entry in the cache; null: 0, 1, 2, ...
  const std::uint32_t* page_table = nullptr;    ///< [batch, max_pages] sequences of the cache; null: not paged
  std::uint32_t max_pages = 0;
  const std::uint32_t* key_lengths = nullptr;  ///< [batch] keys that exist, 0..key_count (or the cache's length)

  Causal causal = Causal::none;
  std::int32_t causal_offset = 0;  ///< for Causal::offset; may be negative
  /// score = scale * (query . key); 0 means 1 / sqrt(head_dim). Otherwise |scale| is 2^-126..2.358e38 (bad_scale). The
  /// query is multiplied by scale * log2(e) first: an element of it beyond 3.4e38 then counts as infinite.
  float scale = 0.0F;
};

/// What `AttentionOutputs::scores` receives.
enum class ScoreStage : std::uint8_t {
  weights,     ///< after the softmax: exactly 0 where the query does not see the key
  raw,         ///< scale * (query . key), of queries and keys that are masked, too
  softcapped,  ///< after the pre-softcap bias and the softcap, before any mask
  masked,      ///< after biases and masks: -inf where the query does not see the key
};

/// What a run writes. None of the optional outputs changes a bit of `output`. Outputs must not overlap inputs, each
/// other or the arena; they may lie between the rows of an input in one buffer. `output` is refused where it begins at
/// the first element of an input (overlap); other overlaps are not looked for.
struct AttentionOutputs {
  MutableTensor output{};  ///< [batch, heads, queries, value_dim]; 0 for a query that sees no key
  MutableTensor scores{};  ///< [batch, heads, queries, keys], or data = null
  ScoreStage score_stage = ScoreStage::weights;
  float* log_sum_exp = nullptr;  ///< [batch, heads, queries], natural logarithm of the sum over the
                                 ///< visible keys of exp(score); -inf if there are none; or null
};

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
/// Scores are held as multiples of ln 2, so one beyond 2.3e38 counts as infinite.
///
/// Statuses: not_initialised (the plan or the cache); zero_dimension, too_large (the counts); bad_scale; bad_option (no
/// such `causal` or `score_stage`); plan_mismatch (a cache of other dimensions, or whose values are not float32 and
/// longer than sixteen keys; a page_table over a cache whose max_keys is no multiple of 16); missing_format (the cache
/// has no kv_pages, or no kv_ring_with_positions where the order of a ring's slots matters); bad_sequence;
/// ring_wrapped (a page has wrapped around); keys_exceed_plan; bad_length (key_lengths, also beyond the pages);
/// null_pointer, bad_stride, overlap (the tensors); null_pointer (a page_table without key_lengths);
/// null_pointer, arena_too_small, arena_misaligned.
[[nodiscard]] Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
                            const AttentionOutputs& outputs, const Executor& executor = {}) noexcept;

}  // namespace heed
