/* SPDX-License-Identifier: MIT
 *
 * The multi-head layer over a heed_kv_cache: keys and values in fewer bytes, in a ring that lets a stream run forever,
 * or in blocks that batch entries share; kv_multi_head.hpp says more.
 */
#ifndef HEED_HEED_KV_MULTI_HEAD_H
#define HEED_HEED_KV_MULTI_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_attention.h"
#include "heed/heed_kv_cache.h"
#include "heed/heed_multi_head.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* heed_multi_head_config, and the further members of heed_kv_cache_config. */
typedef struct heed_kv_multi_head_config {
  uint32_t model_dim, heads, kv_heads, head_dim, value_dim, kv_input_dim, output_dim;
  uint32_t max_keys;      /* tokens that the cache holds per sequence or block, 1..2^30 */
  uint32_t max_sequences; /* independent token streams, or blocks, in the cache, 1..2^30 */
  uint32_t workers, scratch_budget;
  heed_data_type key_type;
  heed_data_type value_type;
  uint8_t key_scales_per_channel; /* anything but 0, int8 keys only: heed_kv_multi_head_set_key_scales() comes first */
  uint8_t ring;                   /* anything but 0: once every slot is in use, a token overwrites the oldest */
  uint32_t sink_tokens;           /* ring only: the first tokens, never overwritten; below max_keys */
  uint32_t max_blocks;            /* columns of a block table; max_keys is a multiple of 16 then, and not in a ring */
  heed_weight_type weight_type;   /* of the four projections; others than float32: heed_layer_weights.h */
} heed_kv_multi_head_config;

/* Use it as heed_plan_kv_multi_head() wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_kv_multi_head_plan {
  heed_kv_multi_head_config config; /* with every 0 replaced by what it means */
  heed_kv_cache_plan cache;
  heed_attention_plan attention;
  uint32_t token_rows;
  heed_region state, attention_scratch, projected, attention_output, staged_weights;
  uint32_t bytes; /* the arena: state, then scratch */
  uint32_t state_bytes, scratch_bytes;
  heed_region weights_header;
  heed_linear_plan query, key, value, output;
  uint32_t weights_bytes;
} heed_kv_multi_head_plan;

/* A layer: only init and bind change the object; it must be zero until then, and the plan outlives it. Its cache lies
 * in the state. */
typedef struct heed_kv_multi_head_attention {
  const heed_kv_multi_head_plan* plan;
  heed_kv_cache cache;
  void* scratch;
  const void* weights;
  const void* weight_format;
} heed_kv_multi_head_attention;

/* The statuses of heed_plan_multi_head() and heed_plan_kv_cache(); HEED_BAD_OPTION, too, for a block table in a ring,
 * for one whose blocks are no multiple of 16 tokens, and for values in fewer bits that are longer than sixteen keys.
 * *plan is then left as it was. */
HEED_MUST_USE heed_status heed_plan_kv_multi_head(const heed_kv_multi_head_config* config,
                                                  heed_kv_multi_head_plan* plan);

/* As heed_split_packed() and heed_pack_weights(), with its statuses; packed weights serve either layer of the same
 * dimensions. */
heed_multi_head_weights heed_kv_split_packed(const heed_kv_multi_head_plan* plan, const float* input_weight,
                                             const float* input_bias, const float* output_weight,
                                             const float* output_bias);
HEED_MUST_USE heed_status heed_kv_pack_weights(const heed_kv_multi_head_plan* plan,
                                               const heed_multi_head_weights* weights, void* packed,
                                               size_t packed_bytes);

/* As heed_multi_head_init() and those after it: one arena, or state and scratch apart, with their statuses. */
HEED_MUST_USE heed_status heed_kv_multi_head_init(heed_kv_multi_head_attention* layer,
                                                  const heed_kv_multi_head_plan* plan, void* arena, size_t arena_bytes,
                                                  const void* packed_weights, size_t weights_bytes);
HEED_MUST_USE heed_status heed_kv_multi_head_bind(heed_kv_multi_head_attention* layer,
                                                  const heed_kv_multi_head_plan* plan, void* arena, size_t arena_bytes,
                                                  const void* packed_weights, size_t weights_bytes);
HEED_MUST_USE heed_status heed_kv_multi_head_init_split(heed_kv_multi_head_attention* layer,
                                                        const heed_kv_multi_head_plan* plan, void* state,
                                                        size_t state_bytes, void* scratch, size_t scratch_bytes,
                                                        const void* packed_weights, size_t weights_bytes);
HEED_MUST_USE heed_status heed_kv_multi_head_bind_split(heed_kv_multi_head_attention* layer,
                                                        const heed_kv_multi_head_plan* plan, void* state,
                                                        size_t state_bytes, void* scratch, size_t scratch_bytes,
                                                        const void* packed_weights, size_t weights_bytes);

/* The calls of heed_multi_head.h, with their statuses. append reads batch, tokens, input [batch, tokens, kv_input_dim],
 * sequence_ids, block_table and past_lengths. With a block table, token t of entry b lies in block block_table[b][t /
 * max_keys], slot t % max_keys; a call appends after past_lengths[b] tokens. HEED_BAD_LENGTH: a block does not hold
 * what it should before the call. HEED_RING_WRAPPED: a call of more than one token overwrites
 * others, and has key, query or prefix lengths. With scales per channel, HEED_BAD_SCALE until they are set, and
 * HEED_NOT_FINITE for a key that is NaN or infinite, which shows only when scratch has been written. */
HEED_MUST_USE heed_status heed_kv_multi_head_append(heed_kv_multi_head_attention* layer,
                                                    const heed_multi_head_inputs* inputs,
                                                    const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_attend(heed_kv_multi_head_attention* layer,
                                                    const heed_multi_head_inputs* inputs,
                                                    const heed_multi_head_outputs* outputs,
                                                    const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_prefill(heed_kv_multi_head_attention* layer,
                                                     const heed_multi_head_inputs* inputs,
                                                     const heed_multi_head_outputs* outputs,
                                                     const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_encode(heed_kv_multi_head_attention* layer,
                                                    const heed_multi_head_inputs* inputs,
                                                    const heed_multi_head_outputs* outputs,
                                                    const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_decode(heed_kv_multi_head_attention* layer, const float* input,
                                                    float* output, uint32_t sequence_id, const heed_executor* executor);

/* The layer's cache, as heed_kv_cache_set_key_scales() and those after it, with their statuses. */
HEED_MUST_USE heed_status heed_kv_multi_head_set_key_scales(heed_kv_multi_head_attention* layer, const float* scales,
                                                            size_t scale_count);
HEED_MUST_USE heed_status heed_kv_multi_head_truncate(heed_kv_multi_head_attention* layer, uint32_t sequence,
                                                      uint32_t length);
HEED_MUST_USE heed_status heed_kv_multi_head_reset(heed_kv_multi_head_attention* layer, uint32_t sequence);
uint32_t heed_kv_multi_head_length(const heed_kv_multi_head_attention* layer, uint32_t sequence);
uint32_t heed_kv_multi_head_tokens(const heed_kv_multi_head_attention* layer, uint32_t sequence);

#ifdef __cplusplus
}
#endif
#endif
