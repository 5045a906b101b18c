/* SPDX-License-Identifier: MIT
 *
 * Scaled dot-product attention over tensors or a cache; attention.hpp says more.
 */
#ifndef HEED_HEED_ATTENTION_H
#define HEED_HEED_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_kv_cache.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which keys query i of a batch entry sees: those at j <= i + offset. Every option takes one byte, whatever the
 * compiler. */
typedef uint8_t heed_causal;
enum {
  HEED_CAUSAL_NONE = 0,         /* all of them */
  HEED_CAUSAL_TOP_LEFT = 1,     /* offset = 0 */
  HEED_CAUSAL_BOTTOM_RIGHT = 2, /* offset = visible keys - queries: the last query sees the last key */
  HEED_CAUSAL_OFFSET = 3        /* offset = causal_offset */
};

/* What the optional score output receives. */
typedef uint8_t heed_score_stage;
enum {
  HEED_SCORE_WEIGHTS = 0,    /* after the softmax: 0 where the query does not see the key */
  HEED_SCORE_RAW = 1,        /* scale * (query . key), before any mask */
  HEED_SCORE_SOFTCAPPED = 2, /* after the soft cap */
  HEED_SCORE_MASKED = 3      /* after biases and masks: -inf where the query does not see the key */
};

typedef struct heed_attention_config {
  uint32_t heads;          /* query heads, 1..65536; 0 means 1 */
  uint32_t kv_heads;       /* key and value heads, a divisor of heads; 0 means heads */
  uint32_t head_dim;       /* length of a query and of a key, 1..65536 */
  uint32_t value_dim;      /* length of a value; 0 means head_dim */
  uint32_t max_keys;       /* most keys of a run; 0 means 2^30 */
  uint32_t workers;        /* most tasks handed to the executor at once, 1..64; 0 means 1 */
  uint32_t scratch_budget; /* bytes per worker to aim for; 0 means 128 KiB; changes no bit of the result */
} heed_attention_config;

/* Use it as heed_plan_attention() wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_attention_plan {
  heed_attention_config config; /* with every 0 replaced by what it means */
  uint32_t row_group_rows, query_tile_rows, staged_keys, scored_keys;
  heed_region queries, keys, scores, block_work, accumulators, statistics;
  uint32_t worker_bytes;
  uint32_t bytes; /* the arena, scratch only: its content means nothing between runs */
} heed_attention_plan;

/* With a cache, batch entry b reads its sequence sequence_ids[b], or, with a page table, key j is token j % max_keys of
 * sequence page_table[b][j / max_keys], key_lengths says how many there are, and max_keys is a multiple of 16; entries
 * may share pages. In a ring that has wrapped around, key lengths, masks, pre-softcap biases and scores are indexed by
 * slot; causal masks, prefixes, windows, ALiBi and relative biases use the positions of heed_kv_cache_position(). */
typedef struct heed_attention_inputs {
  uint32_t batch;               /* 1..2^30; 0 means 1 */
  uint32_t query_count;         /* per batch entry, 1..2^30 */
  uint32_t key_count;           /* per batch entry, 0..max_keys; not read with a cache, nor are key and value */
  heed_const_tensor query;      /* [batch, heads, queries, head_dim] */
  heed_const_tensor key;        /* [batch, kv_heads, keys, head_dim] */
  heed_const_tensor value;      /* [batch, kv_heads, keys, value_dim] */
  const heed_kv_cache* cache;   /* keys and values come from here; or null */
  const uint32_t* sequence_ids; /* [batch] sequence of each entry in the cache; null: 0, 1, 2, ... */
  const uint32_t* page_table;   /* [batch, max_pages] sequences of the cache; null: not paged */
  uint32_t max_pages;
  const uint32_t* key_lengths; /* [batch] keys that exist, 0..key_count (or the cache's length); null: all */
  heed_causal causal;
  int32_t causal_offset; /* for HEED_CAUSAL_OFFSET; may be negative */
  float scale;           /* score = scale * (query . key), |scale| 2^-126..2.358e38; 0 means 1 / sqrt(head_dim) */
} heed_attention_inputs;

/* No optional output changes a bit of `output`. Outputs must not overlap inputs, each other or the arena; looked for is
 * an output that begins at the first element of an input (HEED_OVERLAP). */
typedef struct heed_attention_outputs {
  heed_tensor output;           /* [batch, heads, queries, value_dim]; 0 for a query that sees no key */
  heed_tensor scores;           /* [batch, heads, queries, keys], or data = null */
  heed_score_stage score_stage; /* what `scores` receives; 0 is HEED_SCORE_WEIGHTS */
  float* log_sum_exp;           /* [batch, heads, queries], -inf for a query that sees no key; or null */
} heed_attention_outputs;

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS. */
HEED_MUST_USE heed_status heed_plan_attention(const heed_attention_config* config, heed_attention_plan* plan);

/* softmax(scale * Q K^T + masks) V for every batch entry and head; query head h reads key head h / (heads / kv_heads).
 * arena is at least plan->bytes.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SCALE, HEED_BAD_OPTION,
 * HEED_PLAN_MISMATCH (also a cache whose values are longer than sixteen keys and not floats, or a page table over one
 * whose max_keys is no multiple of 16), HEED_MISSING_FORMAT (the cache's ring or pages do not know the call),
 * HEED_RING_WRAPPED (a page has wrapped around), HEED_BAD_SEQUENCE, HEED_KEYS_EXCEED_PLAN, HEED_BAD_LENGTH,
 * HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_OVERLAP, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED. */
HEED_MUST_USE heed_status heed_attend(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                      const heed_attention_inputs* inputs, const heed_attention_outputs* outputs,
                                      const heed_executor* executor);

#ifdef __cplusplus
}
#endif
#endif
