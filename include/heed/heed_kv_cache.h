/* SPDX-License-Identifier: MIT
 *
 * Keys and values of the tokens so far; kv_cache.hpp says more.
 */
#ifndef HEED_HEED_KV_CACHE_H
#define HEED_HEED_KV_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEED_MAX_TOKENS 0x7FFFFFFF /* most tokens that a sequence counts; reachable only in ring mode */

typedef struct heed_kv_cache_config {
  uint32_t max_sequences;  /* independent token streams, or pages, 1..2^30; 0 means 1 */
  uint32_t kv_heads;       /* 1..65536; 0 means 1 */
  uint32_t head_dim;       /* length of a key, 1..65536 */
  uint32_t value_dim;      /* length of a value; 0 means head_dim */
  uint32_t max_keys;       /* tokens that each sequence holds, 1..2^30 */
  uint32_t sink_tokens;    /* ring only: the first tokens, never overwritten; below max_keys */
  heed_data_type key_type; /* storing rounds as kv_cache.hpp defines, to the bit; reading is exact */
  heed_data_type value_type;
  uint32_t ring; /* not 0: once every slot is in use, a token overwrites the oldest */
} heed_kv_cache_config;

/* Use it as heed_plan_kv_cache() wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_kv_cache_plan {
  heed_kv_cache_config config; /* with every 0 replaced by what it means */
  uint32_t key_panels, value_width;
  uint32_t key_panel_bytes, value_row_bytes;
  uint32_t key_scale_bytes, value_scale_bytes;
  heed_region states, keys, values, key_scales, value_scales;
  uint32_t bytes;
} heed_kv_cache_plan;

/* Pointers, set by init or bind; the plan outlives the object. All state lies in the memory and holds no pointer, so a
 * byte copy of the memory is a snapshot. The object must be zero until then; it may be copied. */
typedef struct heed_kv_cache {
  const heed_kv_cache_plan* plan;
  void* memory;
  const void* reader;
  const heed_format* key_format;
  const heed_format* value_format;
  const heed_ring_rules* ring;
  const heed_page_rules* pages;
} heed_kv_cache;

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_OPTION. */
HEED_MUST_USE heed_status heed_plan_kv_cache(const heed_kv_cache_config* config, heed_kv_cache_plan* plan);

/* Takes memory of at least plan->bytes: init empties every sequence, bind keeps what a cache of this plan left there
 * and does not check the memory again later.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED,
 * HEED_MISSING_FORMAT; of bind HEED_BAD_STATE, if no cache of this plan can have left it. */
HEED_MUST_USE heed_status heed_kv_cache_init(heed_kv_cache* cache, const heed_kv_cache_plan* plan, void* memory,
                                             size_t memory_bytes, const heed_kv_storage* storage);
HEED_MUST_USE heed_status heed_kv_cache_bind(heed_kv_cache* cache, const heed_kv_cache_plan* plan, void* memory,
                                             size_t memory_bytes, const heed_kv_storage* storage);

/* Sets the scales per channel, [kv_heads, head_dim], of a cache without tokens.
 * Statuses: HEED_NOT_INITIALISED, HEED_PLAN_MISMATCH (the plan has no such scales), HEED_NOT_EMPTY, HEED_NULL_POINTER,
 * HEED_BAD_LENGTH (scale_count), HEED_BAD_SCALE (below 0 or too great). */
HEED_MUST_USE heed_status heed_kv_cache_set_key_scales(heed_kv_cache* cache, const float* scales, size_t scale_count);

/* Appends tokens to one sequence: key [1, kv_heads, tokens, head_dim], value [1, kv_heads, tokens, value_dim].
 * Statuses: HEED_NOT_INITIALISED, HEED_BAD_SEQUENCE, HEED_CACHE_FULL (not in a ring), HEED_TOO_LARGE (beyond
 * HEED_MAX_TOKENS), HEED_NULL_POINTER, HEED_BAD_STRIDE; with scales per channel HEED_BAD_SCALE until they are set, and
 * HEED_NOT_FINITE for a key that is NaN or infinite. */
HEED_MUST_USE heed_status heed_kv_cache_append(heed_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                               heed_const_tensor key, heed_const_tensor value);

/* Keeps the first `length` tokens of a sequence, 0..its tokens; of a ring that has overwritten some, 0..sink_tokens.
 * reset keeps none.
 * Statuses: HEED_NOT_INITIALISED, HEED_BAD_SEQUENCE, HEED_BAD_LENGTH. */
HEED_MUST_USE heed_status heed_kv_cache_truncate(heed_kv_cache* cache, uint32_t sequence, uint32_t length);
HEED_MUST_USE heed_status heed_kv_cache_reset(heed_kv_cache* cache, uint32_t sequence);

/* Slots in use, and tokens appended so far, including those that a ring has overwritten; 0 for a sequence that does not
 * exist and for a null cache. */
uint32_t heed_kv_cache_length(const heed_kv_cache* cache, uint32_t sequence);
uint32_t heed_kv_cache_tokens(const heed_kv_cache* cache, uint32_t sequence);

/* The number of the token in a slot; 0 for a slot that is not in use and for a null cache. */
uint32_t heed_kv_cache_position(const heed_kv_cache* cache, uint32_t sequence, uint32_t slot);

#ifdef __cplusplus
}
#endif
#endif
