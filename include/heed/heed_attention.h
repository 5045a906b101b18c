/* SPDX-License-Identifier: MIT
 *
 * Scaled dot-product attention over tensors or a cache, and its results over parts of the keys, merged; attention.hpp
 * says more.
 */
#ifndef HEED_HEED_ATTENTION_H
#define HEED_HEED_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_cache.h"
#include "heed/heed_types.h"

/* Which keys a query may see. Query i of a batch entry with `length` visible keys sees the keys j <= i + offset. Every
 * option takes one byte, whatever the compiler. */
HEED_ENUM(heed_causal, Causal, uint8_t){
    HEED_VALUE(HEED_CAUSAL_NONE, none),         /* all of them */
    HEED_VALUE(HEED_CAUSAL_TOP_LEFT, top_left), /* offset = 0: query 0 sees key 0 */
    HEED_VALUE(HEED_CAUSAL_BOTTOM_RIGHT,
               bottom_right),              /* offset = length - queries: the last query sees the last key */
    HEED_VALUE(HEED_CAUSAL_OFFSET, offset) /* offset = causal_offset */
};

/* What the optional score output receives. */
HEED_ENUM(heed_score_stage, ScoreStage, uint8_t){
    HEED_VALUE(HEED_SCORE_WEIGHTS, weights), /* after the softmax: exactly 0 where the query does not see the key */
    HEED_VALUE(HEED_SCORE_RAW, raw),         /* scale * (query . key), of queries and keys that are masked, too */
    HEED_VALUE(HEED_SCORE_SOFTCAPPED, softcapped), /* after the pre-softcap bias and the softcap, before any mask */
    HEED_VALUE(HEED_SCORE_MASKED, masked) /* after biases and masks: -inf where the query does not see the key */
};

/* What is fixed before the first run. Batch, query count and key count are free at run time and cost no memory. */
HEED_STRUCT(heed_attention_config, AttentionConfig) {
  uint32_t heads HEED_ZERO;          /* query heads, 1..65536; 0 means 1 */
  uint32_t kv_heads HEED_ZERO;       /* key and value heads; heads is a multiple of it; 0 means heads */
  uint32_t head_dim HEED_ZERO;       /* length of a query and of a key, 1..65536; multiples of 16 are fastest */
  uint32_t value_dim HEED_ZERO;      /* length of a value; 0 means head_dim */
  uint32_t max_keys HEED_ZERO;       /* most keys a run may have; a bound below 256 saves scratch; 0 means 2^30 */
  uint32_t workers HEED_ZERO;        /* most tasks handed to the executor at once, 1..64; 0 means 1 */
  uint32_t scratch_budget HEED_ZERO; /* bytes of scratch per worker to aim for; 0 means 128 KiB. It never changes a bit
                                        of the result; the smallest working scratch is used if even that is more */
  uint32_t integers HEED_ZERO;       /* not 0: attention in integers, over caches of int8_integer alone */

  HEED_COMPARED(AttentionConfig)
};

/* Sizes and offsets that follow from a configuration, the same on every port. The arena is scratch only: its content
 * means nothing between runs. Use it as it was planned: a changed one makes calls write outside of their memory; a
 * debug build traps. */
HEED_STRUCT(heed_attention_plan, AttentionPlan) {
  heed_attention_config config HEED_ZERO; /* every 0 replaced by what it means */
  uint32_t row_group_rows HEED_ZERO;      /* query rows that share one pass over a key block */
  uint32_t query_tile_rows HEED_ZERO;     /* query rows of one task, a multiple of row_group_rows */
  uint32_t staged_keys HEED_ZERO;         /* keys held in panels at a time when they do not come from a cache */
  uint32_t scored_keys HEED_ZERO;         /* width of a score row: 256, or less where max_keys is */

  heed_region queries HEED_ZERO; /* float [query_tile_rows, head_dim], scaled */
  heed_region keys HEED_ZERO;    /* float [staged_keys / 16, head_dim, 16], or scores of another row group if they fit;
                                    in integers: queries or weights of a row group, rounded */
  heed_region scores HEED_ZERO;  /* float [row_group_rows, scored_keys] */
  /* float [row_group_rows, value_dim rounded up to 16]: what the work on one key block needs. Biases and masks on their
   * way to the scores, then the sums of weights by lane, then the output of a key block that joins earlier ones. */
  heed_region block_work HEED_ZERO;
  heed_region accumulators HEED_ZERO; /* float [query_tile_rows, value_dim rounded up to 16] */
  heed_region statistics HEED_ZERO;   /* float [2, query_tile_rows rounded up to 16]: running maximum, running sum */

  uint32_t worker_bytes HEED_ZERO; /* one worker's scratch: the regions above */
  uint32_t bytes HEED_ZERO;        /* the arena, all of it scratch: workers * worker_bytes */

  HEED_COMPARED(AttentionPlan)
};

/* What a run reads; batch * heads * queries stays below 2^32. Sizes are in elements; `length` of batch entry b is
 * key_lengths[b], or the sequence's length in the cache, or key_count.
 *
 * With a cache, batch entry b reads sequence sequence_ids[b]. Its keys are the slots: key_lengths, bool and additive
 * masks, pre-softcap biases and returned scores are indexed by slot. Causal masks, prefixes, windows, ALiBi and
 * relative biases use positions: the key in slot s is at position(sequence, s) of the cache. In a ring that has wrapped
 * around, tokens(sequence) takes the place of the key length in `bottom_right`: query i is at position tokens - queries
 * + i.
 *
 * With a page table, for which the cache has pages, key j of batch entry b is token j % max_keys of the page
 * page_table[b][j / max_keys], a sequence of the cache, and key_lengths says how many there are; max_keys of the cache
 * is a multiple of 16 then. Batch entries may share pages: a prefix that is common to several of them is stored and
 * appended once, and the result has the bits of a copy for each. */
HEED_STRUCT(heed_attention_inputs, AttentionInputs) {
  uint32_t batch HEED_ZERO;          /* 1..2^30; 0 means 1 */
  uint32_t query_count HEED_ZERO;    /* per batch entry, 1..2^30 */
  uint32_t key_count HEED_ZERO;      /* per batch entry, 0..max_keys; not read when `cache` is set */
  heed_const_tensor query HEED_ZERO; /* [batch, heads, queries, head_dim] */
  heed_const_tensor key HEED_ZERO;   /* [batch, kv_heads, keys, head_dim]; not read when `cache` is set */
  heed_const_tensor value HEED_ZERO; /* [batch, kv_heads, keys, value_dim]; not read when `cache` is set */

  const heed_kv_cache* cache HEED_ZERO;   /* keys and values come from here instead */
  const uint32_t* sequence_ids HEED_ZERO; /* [batch] sequence of each entry in the cache; null: 0, 1, 2, ... */
  const uint32_t* page_table HEED_ZERO;   /* [batch, max_pages] sequences of the cache; null: not paged */
  uint32_t max_pages HEED_ZERO;
  const uint32_t* key_lengths HEED_ZERO; /* [batch] keys that exist, 0..key_count (or the cache's length); null: all */

  heed_causal causal HEED_ZERO;
  int32_t causal_offset HEED_ZERO; /* for `offset`; may be negative */
  /* score = scale * (query . key); 0 means 1 / sqrt(head_dim). Otherwise |scale| is 2^-126..2.358e38 (bad_scale). The
   * query is multiplied by scale * log2(e) first: an element of it beyond 3.4e38 then counts as infinite. */
  float scale HEED_ZERO;

#ifdef HEED_CPP
  /* What `batch` means. */
  [[nodiscard]] constexpr uint32_t entries() const noexcept {
    return batch == 0 ? 1 : batch;
  }
#endif
};

/* What a run writes. None of the optional outputs changes a bit of `output`. Outputs must not overlap inputs, each
 * other or the arena; they may lie between the rows of an input in one buffer. `output` is refused where it begins at
 * the first element of an input (overlap); other overlaps are not looked for. */
HEED_STRUCT(heed_attention_outputs, AttentionOutputs) {
  heed_tensor output HEED_ZERO;           /* [batch, heads, queries, value_dim]; 0 for a query that sees no key */
  heed_tensor scores HEED_ZERO;           /* [batch, heads, queries, keys], or data = null */
  heed_score_stage score_stage HEED_ZERO; /* what `scores` receives; 0: the weights */
  float* log_sum_exp HEED_ZERO; /* [batch, heads, queries], natural logarithm of the sum over the visible keys of
                                   exp(score); -inf if there are none; or null */
};

/* What attention wrote for a part of the keys. */
HEED_STRUCT(heed_partial_attention, PartialAttention) {
  heed_const_tensor output HEED_ZERO; /* [batch, heads, queries, value_dim] */
  const float* log_sum_exp HEED_ZERO; /* [batch, heads, queries] */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS. */
HEED_MUST_USE heed_status heed_plan_attention(const heed_attention_config* config, heed_attention_plan* plan);

/* softmax(scale * Q K^T + masks) V for every batch entry and head; query head h reads key head h / (heads / kv_heads).
 * arena is at least plan->bytes.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SCALE, HEED_BAD_OPTION,
 * HEED_PLAN_MISMATCH (also a cache whose values are longer than sixteen keys and not floats, no cache of int8_integer
 * for a plan of integers, or a page table over one whose max_keys is no multiple of 16), HEED_MISSING_FORMAT (the
 * cache's ring or pages do not know the call), HEED_RING_WRAPPED (a page has wrapped around), HEED_BAD_SEQUENCE,
 * HEED_KEYS_EXCEED_PLAN, HEED_BAD_LENGTH, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_OVERLAP, HEED_ARENA_TOO_SMALL,
 * HEED_ARENA_MISALIGNED. */
HEED_MUST_USE heed_status heed_attend(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                      const heed_attention_inputs* inputs, const heed_attention_outputs* outputs,
                                      const heed_executor* executor);

/* Attention over the keys of all parts together, each summed with the weight exp(its log-sum-exp - that of all), in the
 * order given. `output` and `log_sum_exp` (or null) may be those of the first part. A part is not read in the rows
 * where its log-sum-exp is -inf; without parts, or where that of every part is, the result is 0 and -inf.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE. */
HEED_MUST_USE heed_status heed_merge(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t value_dim,
                                     const heed_partial_attention* parts, size_t part_count, heed_tensor output,
                                     float* log_sum_exp);

#ifdef __cplusplus
}
#endif
#endif
