/* SPDX-License-Identifier: MIT
 *
 * Keys and values of the tokens so far, as floats; float_kv_cache.hpp says more.
 */
#ifndef HEED_HEED_FLOAT_KV_CACHE_H
#define HEED_HEED_FLOAT_KV_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heed_float_kv_cache_config {
  uint32_t max_sequences; /* independent token streams, 1..2^30; 0 means 1 */
  uint32_t kv_heads;      /* 1..65536; 0 means 1 */
  uint32_t head_dim;      /* length of a key, 1..65536 */
  uint32_t value_dim;     /* length of a value; 0 means head_dim */
  uint32_t max_keys;      /* tokens that each sequence holds, 1..2^30 */
} heed_float_kv_cache_config;

/* Use it as heed_plan_float_kv_cache() wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_float_kv_cache_plan {
  heed_float_kv_cache_config config; /* with every 0 replaced by what it means */
  uint32_t key_panels;
  uint32_t value_width;
  heed_region lengths; /* uint32 [sequences] */
  heed_region keys;    /* float [sequences, kv_heads, key_panels, head_dim, 16] */
  heed_region values;  /* float [sequences, kv_heads, max_keys, value_width] */
  uint32_t bytes;
} heed_float_kv_cache_plan;

/* Two pointers, both set by init or bind; the plan outlives the object. All state lies in the memory and holds no
 * pointer, so a byte copy of the memory is a snapshot. The object must be zero until then; it may be copied. */
typedef struct heed_float_kv_cache {
  const heed_float_kv_cache_plan* plan;
  void* memory;
} heed_float_kv_cache;

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE. */
HEED_MUST_USE heed_status heed_plan_float_kv_cache(const heed_float_kv_cache_config* config,
                                                   heed_float_kv_cache_plan* plan);

/* Takes memory of at least plan->bytes: init empties every sequence, bind keeps what a cache of this plan left there
 * and does not check the memory again later.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED; of bind
 * HEED_BAD_STATE, if no cache of this plan can have left it. */
HEED_MUST_USE heed_status heed_float_kv_cache_init(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan,
                                                   void* memory, size_t memory_bytes);
HEED_MUST_USE heed_status heed_float_kv_cache_bind(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan,
                                                   void* memory, size_t memory_bytes);

/* Appends tokens to one sequence: key [1, kv_heads, tokens, head_dim], value [1, kv_heads, tokens, value_dim].
 * Statuses: HEED_NOT_INITIALISED, HEED_BAD_SEQUENCE, HEED_CACHE_FULL, HEED_NULL_POINTER, HEED_BAD_STRIDE. */
HEED_MUST_USE heed_status heed_float_kv_cache_append(heed_float_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                                     heed_const_tensor key, heed_const_tensor value);

/* Keeps the first `length` tokens of a sequence, 0..its length; reset keeps none.
 * Statuses: HEED_NOT_INITIALISED, HEED_BAD_SEQUENCE, HEED_BAD_LENGTH. */
HEED_MUST_USE heed_status heed_float_kv_cache_truncate(heed_float_kv_cache* cache, uint32_t sequence, uint32_t length);
HEED_MUST_USE heed_status heed_float_kv_cache_reset(heed_float_kv_cache* cache, uint32_t sequence);

/* Slots in use, which are the tokens appended so far; 0 for a sequence that does not exist and for a null cache. */
uint32_t heed_float_kv_cache_length(const heed_float_kv_cache* cache, uint32_t sequence);
uint32_t heed_float_kv_cache_tokens(const heed_float_kv_cache* cache, uint32_t sequence);

/* The number of the token in a slot; 0 for a slot that is not in use and for a null cache. */
uint32_t heed_float_kv_cache_position(const heed_float_kv_cache* cache, uint32_t sequence, uint32_t slot);

#ifdef __cplusplus
}
#endif
#endif
