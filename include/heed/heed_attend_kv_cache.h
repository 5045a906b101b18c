/* SPDX-License-Identifier: MIT
 *
 * Attention over the caches of heed_kv_cache.h, in sequences or in blocks; options.hpp says more.
 */
#ifndef HEED_HEED_ATTEND_KV_CACHE_H
#define HEED_HEED_ATTEND_KV_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_attention.h"
#include "heed/heed_kv_cache.h"
#include "heed/heed_options.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Keys and values in a KvCache. Without a block table, batch entry b reads sequence inputs.sequence_ids[b]. With a
 * block table, key j of entry b is token j % max_keys of block block_table[b][j / max_keys], inputs.key_lengths says
 * how many there are, and max_keys is a multiple of 16; entries may share blocks. In a ring that has wrapped around,
 * key lengths, masks, pre-softcap biases and scores are indexed by slot; causal masks, prefixes, windows, ALiBi and
 * relative biases use the positions that heed_kv_cache_position() gives. */
typedef struct heed_kv_cache_view {
  const heed_kv_cache* cache;
  const uint32_t* block_table; /* [batch, max_blocks] blocks of the cache; null: not paged */
  uint32_t max_blocks;
} heed_kv_cache_view;

/* heed_attend_with_options() over a KvCache: inputs->key, value, key_count and cache are not read; null options are
 * none.
 * Statuses: those of heed_attend_with_options(), with HEED_PLAN_MISMATCH also for values longer than sixteen keys that
 * are not stored as floats, and for a block table over a cache whose max_keys is no multiple of 16; HEED_RING_WRAPPED
 * for a block that has wrapped around. */
HEED_MUST_USE heed_status heed_attend_kv_cache(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                               const heed_attention_inputs* inputs, const heed_kv_cache_view* keys,
                                               const heed_attention_options* options,
                                               const heed_attention_outputs* outputs, const heed_executor* executor);

#ifdef __cplusplus
}
#endif
#endif
