/* SPDX-License-Identifier: MIT
 *
 * Keys and values of the tokens so far; cache.hpp says more.
 */
#ifndef HEED_HEED_CACHE_H
#define HEED_HEED_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_types.h"

#define HEED_MAX_TOKENS 0x7FFFFFFF /* most tokens that a sequence counts; reachable only in ring mode */

HEED_STRUCT(heed_kv_cache_config, KvCacheConfig) {
  uint32_t max_sequences HEED_ZERO; /* independent token streams, or pages, 1..2^30; 0 means 1 */
  uint32_t kv_heads HEED_ZERO;      /* 1..65536; 0 means 1 */
  uint32_t head_dim HEED_ZERO;      /* length of a key, 1..65536 */
  uint32_t value_dim HEED_ZERO;     /* length of a value; 0 means head_dim */
  uint32_t max_keys HEED_ZERO;      /* tokens that each sequence holds, 1..2^30 */
  uint32_t sink_tokens HEED_ZERO;   /* ring only: the first tokens, never overwritten; below max_keys */
  /* float32, float16, bfloat16, int8, int4, int8_integer or, for keys alone, int8_channels; int8_integer for both or
   * for neither. */
  heed_data_type key_type HEED_ZERO;
  heed_data_type value_type HEED_ZERO;
  uint32_t ring HEED_ZERO; /* not 0: once every slot is in use, a token overwrites the oldest */

  HEED_COMPARED(KvCacheConfig)
};

/* The cache's memory. It holds no pointer: a byte copy of it is a snapshot that can be restored anywhere.
 *
 * An element is 4, 2, 2 or 1 bytes; int4 packs sixteen lanes in 8 bytes: lane i is the low nibble of byte i, lane i + 8
 * its high nibble, and a nibble holds q + 8. A region that the types do not need has 0 bytes. Use it as it was planned:
 * a changed one makes calls write outside of their memory; a debug build traps. */
HEED_STRUCT(heed_kv_cache_plan, KvCachePlan) {
  heed_kv_cache_config config HEED_ZERO; /* every 0 replaced by what it means */
  uint32_t key_panels HEED_ZERO;
  uint32_t value_width HEED_ZERO;       /* value_dim rounded up to 16; the padding has q = 0 */
  uint32_t key_panel_bytes HEED_ZERO;   /* sixteen keys */
  uint32_t value_row_bytes HEED_ZERO;   /* one value */
  uint32_t key_scale_bytes HEED_ZERO;   /* of sixteen keys; 0 if they have none of their own */
  uint32_t value_scale_bytes HEED_ZERO; /* of one value */

  heed_region states HEED_ZERO; /* uint32 [sequences]: tokens so far */
  /* Element [sequences, kv_heads, key_panels, head_dim, 16]: a lane is a key. int8_integer: byte [sequences, kv_heads,
   * key_panels, head_dim rounded up to 8 / 4, 16, 4], those of even channels q + 128. */
  heed_region keys HEED_ZERO;
  /* Element [sequences, kv_heads, max_keys, value_width]. int8_integer: byte [sequences, kv_heads, value_width / 16,
   * max_keys rounded up to 16 / 4, 16, 4], those of even keys q + 128. */
  heed_region values HEED_ZERO;
  /* int8: float [sequences, kv_heads, key_panels, 16], or [kv_heads, head_dim] per channel;
   * int4: bfloat16 [sequences, kv_heads, key_panels, groups, 16] */
  heed_region key_scales HEED_ZERO;
  /* int8: float [sequences, kv_heads, max_keys]; int4: bfloat16 [sequences, kv_heads, max_keys, groups] */
  heed_region value_scales HEED_ZERO;

  uint32_t bytes HEED_ZERO; /* all of it state: a cache has no scratch */

  HEED_COMPARED(KvCachePlan)
};

/* Pointers, set by init or bind; the plan outlives the object. All state lies in the memory and holds no pointer, so a
 * byte copy of the memory is a snapshot. The object must be zero until then; it may be copied. */
#ifdef HEED_CPP
namespace heed {
class KvCache;
}
using heed_kv_cache = heed::KvCache;
#else
typedef struct heed_kv_cache {
  const void* pointers[7];
} heed_kv_cache;
#endif

#ifdef __cplusplus
extern "C" {
#endif

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
