/* SPDX-License-Identifier: MIT
 *
 * The multi-head layer with its projections and its cache; multi_head.hpp says more.
 */
#ifndef HEED_HEED_MULTI_HEAD_H
#define HEED_HEED_MULTI_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_attention.h"
#include "heed/heed_kv_cache.h"
#include "heed/heed_types.h"
#include "heed/heed_weights.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heed_multi_head_config {
  uint32_t model_dim;         /* width of the input that queries come from, 1..65536 */
  uint32_t heads;             /* query heads, 1..65536; 0 means 1 */
  uint32_t kv_heads;          /* key and value heads, a divisor of heads; 0 means heads */
  uint32_t head_dim;          /* length of a query and of a key; 0 means model_dim / heads, no remainder */
  uint32_t value_dim;         /* length of a value; 0 means head_dim */
  uint32_t kv_input_dim;      /* width of the input that keys and values come from; 0 means model_dim */
  uint32_t output_dim;        /* width of the output; 0 means model_dim */
  uint32_t max_keys;          /* tokens that the cache holds per sequence or page, 1..2^30 */
  uint32_t max_sequences;     /* independent token streams, or pages, in the cache, 1..2^30; 0 means 1 */
  uint32_t workers;           /* most tasks handed to the executor at once, 1..64; 0 means 1 */
  uint32_t scratch_budget;    /* bytes of scratch to aim for, see multi_head.hpp; 0 is a good choice; changes no bit */
  heed_data_type weight_type; /* of the four projections */
  heed_data_type key_type;    /* of the cache, as all that follows */
  heed_data_type value_type;
  uint32_t ring;        /* not 0: once every slot is in use, a token overwrites the oldest */
  uint32_t sink_tokens; /* ring only: the first tokens, never overwritten; below max_keys */
  uint32_t max_pages;   /* columns of a page table; max_keys is a multiple of 16 then, and not in a ring */
} heed_multi_head_config;

/* Use it as heed_plan_multi_head() wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_multi_head_plan {
  heed_multi_head_config config; /* with every 0 replaced by what it means */
  heed_kv_cache_plan cache;
  heed_attention_plan attention;
  uint32_t token_rows;
  heed_region state; /* all of the arena that outlives a call; holds no pointer */
  heed_region attention_scratch, projected, attention_output, staged_weights;
  uint32_t bytes; /* the arena: state, then scratch; offsets of the five above count from its start */
  uint32_t state_bytes, scratch_bytes; /* its two parts, which may lie apart */
  heed_region weights_header;
  heed_linear_plan query, key, value, output;
  uint32_t weights_bytes; /* the packed weights */
} heed_multi_head_plan;

/* Row-major [out, in], y = x W^T + b. A null bias means zero. */
typedef struct heed_multi_head_weights {
  const float* query;  /* [heads * head_dim, model_dim] */
  const float* key;    /* [kv_heads * head_dim, kv_input_dim] */
  const float* value;  /* [kv_heads * value_dim, kv_input_dim] */
  const float* output; /* [output_dim, heads * value_dim] */
  const float* query_bias;
  const float* key_bias;
  const float* value_bias;
  const float* output_bias;
} heed_multi_head_weights;

typedef struct heed_multi_head_inputs {
  uint32_t batch;               /* 1..2^30; 0 means 1 */
  uint32_t tokens;              /* per batch entry, 1..2^30 */
  heed_const_matrix input;      /* [batch, tokens, model_dim] */
  const uint32_t* sequence_ids; /* [batch] in the cache, all different if appended to; null: 0, 1, ... */
  const uint32_t* key_lengths;  /* [batch] keys that exist, 0..length of the sequence; null: all */
  heed_causal causal;           /* for attend and encode; prefill is bottom-right */
  int32_t causal_offset;        /* for HEED_CAUSAL_OFFSET; with `tokens` at most 2^31 */
  float scale;                  /* |scale| is 2^-126..2.358e38; 0 means 1 / sqrt(head_dim) */
  const uint32_t* page_table;   /* [batch, max_pages] pages in place of sequences; null: none */
  const uint32_t* past_lengths; /* [batch] tokens in an entry's pages before this call; null: none */
} heed_multi_head_inputs;

typedef struct heed_multi_head_outputs {
  heed_matrix output;           /* [batch, tokens, output_dim] */
  heed_tensor head_outputs;     /* [batch, heads, tokens, value_dim] before W_O, or data = null */
  heed_tensor scores;           /* [batch, heads, tokens, keys], or data = null */
  heed_score_stage score_stage; /* what `scores` receives; 0 is HEED_SCORE_WEIGHTS */
  float* log_sum_exp;           /* [batch, heads, tokens], or null */
} heed_multi_head_outputs;

/* A layer: only init and bind change the object; it must be zero until then, and the plan outlives it. Its cache lies
 * in the state; heed_kv_cache_truncate(&layer.cache, ...) and the like are for it, too. */
typedef struct heed_multi_head_attention {
  const heed_multi_head_plan* plan;
  heed_kv_cache cache;
  void* scratch;
  const void* weights;
  const heed_format* weight_format;
} heed_multi_head_attention;

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS, HEED_BAD_OPTION (no such
 * type, sink tokens without a ring, a page table in a ring or over pages of no multiple of 16 tokens, values in fewer
 * bits that are longer than sixteen keys). */
HEED_MUST_USE heed_status heed_plan_multi_head(const heed_multi_head_config* config, heed_multi_head_plan* plan);

/* Views of one matrix [W_Q; W_K; W_V] and its bias; kv_input_dim must equal model_dim. All null for a null plan. */
heed_multi_head_weights heed_split_packed(const heed_multi_head_plan* plan, const float* input_weight,
                                          const float* input_bias, const float* output_weight,
                                          const float* output_bias);

/* Writes the weights into `packed`, at least plan->weights_bytes, in the layout that init and bind take. The first is
 * for float32; a program that calls the second, for every type, links what rounds. linear.hpp says how it is rounded.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED;
 * HEED_BAD_OPTION: heed_pack_weights() of weights that are not float32. */
HEED_MUST_USE heed_status heed_pack_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights,
                                            void* packed, size_t packed_bytes);
HEED_MUST_USE heed_status heed_pack_rounded_weights(const heed_multi_head_plan* plan,
                                                    const heed_multi_head_weights* weights, void* packed,
                                                    size_t packed_bytes);

/* Takes state (at least plan->state_bytes), scratch (plan->scratch_bytes) and packed weights, which may lie in flash:
 * init empties the cache, bind keeps the state. Scratch may lie in tightly coupled memory, and may be shared by what
 * does not run at the same time.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED,
 * HEED_OVERLAP, HEED_WRONG_WEIGHTS (of another plan), HEED_MISSING_FORMAT (the format is not that of
 * plan->config.weight_type, or `storage` does not name what the cache needs); of bind HEED_BAD_STATE, if no cache of
 * this plan can have left it. */
HEED_MUST_USE heed_status heed_multi_head_init(heed_multi_head_attention* layer, const heed_multi_head_plan* plan,
                                               void* state, size_t state_bytes, void* scratch, size_t scratch_bytes,
                                               const heed_packed_weights* weights, const heed_kv_storage* storage);
HEED_MUST_USE heed_status heed_multi_head_bind(heed_multi_head_attention* layer, const heed_multi_head_plan* plan,
                                               void* state, size_t state_bytes, void* scratch, size_t scratch_bytes,
                                               const heed_packed_weights* weights, const heed_kv_storage* storage);

/* Projects input [batch, tokens, kv_input_dim] and appends the keys and values to the cache, entry b to
 * sequence_ids[b]; batch, tokens, input, sequence_ids, page_table and past_lengths are read. With a page table, token t
 * of entry b lies in page page_table[b][t / max_keys], slot t % max_keys; a call appends after past_lengths[b] tokens.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SEQUENCE (none such, or named twice),
 * HEED_CACHE_FULL, HEED_BAD_LENGTH (a page does not hold what it should before the call), HEED_NULL_POINTER,
 * HEED_BAD_STRIDE; with scales per channel HEED_BAD_SCALE until they are set, and HEED_NOT_FINITE for a key that is NaN
 * or infinite, which shows only when scratch has been written. */
HEED_MUST_USE heed_status heed_multi_head_append(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_executor* executor);

/* Attends from `input` over what the cache holds and appends nothing: cross-attention after an append.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SCALE, HEED_BAD_OPTION,
 * HEED_BAD_SEQUENCE, HEED_BAD_LENGTH, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_OVERLAP (the output begins where the
 * input does, and goes on with other strides). */
HEED_MUST_USE heed_status heed_multi_head_attend(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_outputs* outputs, const heed_executor* executor);

/* Appends `input` and attends causally; a token's bits do not depend on how the tokens were split into calls.
 * Statuses: those of heed_multi_head_append() and _attend(), HEED_PLAN_MISMATCH (kv_input_dim is not model_dim),
 * HEED_RING_WRAPPED (more than one token overwrites others, with key, query or prefix lengths). */
HEED_MUST_USE heed_status heed_multi_head_prefill(heed_multi_head_attention* layer,
                                                  const heed_multi_head_inputs* inputs,
                                                  const heed_multi_head_outputs* outputs,
                                                  const heed_executor* executor);

/* Empties the sequences, appends `input` and attends: an encoder layer.
 * Statuses: those of heed_multi_head_prefill(). */
HEED_MUST_USE heed_status heed_multi_head_encode(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_outputs* outputs, const heed_executor* executor);

/* Prefill of one token of one sequence: input [model_dim], output [output_dim].
 * Statuses: HEED_NOT_INITIALISED, HEED_PLAN_MISMATCH, HEED_BAD_SEQUENCE, HEED_CACHE_FULL, HEED_NULL_POINTER. */
HEED_MUST_USE heed_status heed_multi_head_decode(heed_multi_head_attention* layer, const float* input, float* output,
                                                 uint32_t sequence_id, const heed_executor* executor);

#ifdef __cplusplus
}
#endif
#endif
