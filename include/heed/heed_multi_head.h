/* SPDX-License-Identifier: MIT
 *
 * The multi-head layer with its projections and its cache; multi_head.hpp says more.
 */
#ifndef HEED_HEED_MULTI_HEAD_H
#define HEED_HEED_MULTI_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_attention.h"
#include "heed/heed_float_kv_cache.h"
#include "heed/heed_types.h"
#include "heed/heed_weights.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heed_multi_head_config {
  uint32_t model_dim;      /* width of the input that queries come from, 1..65536 */
  uint32_t heads;          /* query heads, 1..65536; 0 means 1 */
  uint32_t kv_heads;       /* key and value heads, a divisor of heads; 0 means heads */
  uint32_t head_dim;       /* length of a query and of a key; 0 means model_dim / heads, no remainder */
  uint32_t value_dim;      /* length of a value; 0 means head_dim */
  uint32_t kv_input_dim;   /* width of the input that keys and values come from; 0 means model_dim */
  uint32_t output_dim;     /* width of the output; 0 means model_dim */
  uint32_t max_keys;       /* tokens that the cache holds per sequence, 1..2^30 */
  uint32_t max_sequences;  /* independent token streams in the cache, 1..2^30; 0 means 1 */
  uint32_t workers;        /* most tasks handed to the executor at once, 1..64; 0 means 1 */
  uint32_t scratch_budget; /* bytes of scratch to aim for, see multi_head.hpp; 0 is a good choice; changes no bit */
  heed_weight_type weight_type; /* of the four projections; others than float32: heed_layer_weights.h */
} heed_multi_head_config;

/* A matrix in the packed weights. */
typedef struct heed_linear_plan {
  uint32_t inputs, outputs;
  heed_weight_type type;
  heed_region weights, scales, bias;
  uint32_t bytes, staging_bytes;
} heed_linear_plan;

/* Use it as heed_plan_multi_head() wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_multi_head_plan {
  heed_multi_head_config config; /* with every 0 replaced by what it means */
  heed_float_kv_cache_plan cache;
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
  const uint32_t* block_table;  /* [batch, max_blocks] for heed_kv_multi_head.h; null */
  const uint32_t* past_lengths; /* [batch] tokens in an entry's blocks before this call; null: none */
} heed_multi_head_inputs;

typedef struct heed_multi_head_outputs {
  heed_matrix output;           /* [batch, tokens, output_dim] */
  heed_tensor head_outputs;     /* [batch, heads, tokens, value_dim] before W_O, or data = null */
  heed_tensor scores;           /* [batch, heads, tokens, keys], or data = null */
  heed_score_stage score_stage; /* what `scores` receives; 0 is HEED_SCORE_WEIGHTS */
  float* log_sum_exp;           /* [batch, heads, tokens], or null */
} heed_multi_head_outputs;

/* A layer: only init and bind change the object; it must be zero until then, and the plan outlives it. Its cache lies
 * in the state. */
typedef struct heed_multi_head_attention {
  const heed_multi_head_plan* plan;
  heed_float_kv_cache cache;
  void* scratch;
  const void* weights;
  const void* weight_format;
} heed_multi_head_attention;

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS, HEED_BAD_OPTION (the type
 * of the weights). */
HEED_MUST_USE heed_status heed_plan_multi_head(const heed_multi_head_config* config, heed_multi_head_plan* plan);

/* Views of one matrix [W_Q; W_K; W_V] and its bias; kv_input_dim must equal model_dim. All null for a null plan. */
heed_multi_head_weights heed_split_packed(const heed_multi_head_plan* plan, const float* input_weight,
                                          const float* input_bias, const float* output_weight,
                                          const float* output_bias);

/* Writes the weights into `packed`, at least plan->weights_bytes, in the layout that init and bind take.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED,
 * HEED_BAD_OPTION (weights that are not float32: heed_layer_weights.h). */
HEED_MUST_USE heed_status heed_pack_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights,
                                            void* packed, size_t packed_bytes);

/* Takes an arena of at least plan->bytes and packed weights, which may lie in flash: init empties the cache, bind keeps
 * the state that the arena already holds.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED,
 * HEED_OVERLAP, HEED_WRONG_WEIGHTS (of another plan), HEED_MISSING_FORMAT (the plan's weights are not float32); of bind
 * HEED_BAD_STATE, if no cache of this plan can have left it. */
HEED_MUST_USE heed_status heed_multi_head_init(heed_multi_head_attention* layer, const heed_multi_head_plan* plan,
                                               void* arena, size_t arena_bytes, const void* packed_weights,
                                               size_t weights_bytes);
HEED_MUST_USE heed_status heed_multi_head_bind(heed_multi_head_attention* layer, const heed_multi_head_plan* plan,
                                               void* arena, size_t arena_bytes, const void* packed_weights,
                                               size_t weights_bytes);

/* The same, with the same statuses and plan->state_bytes of state and plan->scratch_bytes of scratch in memories of
 * their own, each aligned: scratch may lie in tightly coupled memory, and may be shared by what does not run at the
 * same time. */
HEED_MUST_USE heed_status heed_multi_head_init_split(heed_multi_head_attention* layer, const heed_multi_head_plan* plan,
                                                     void* state, size_t state_bytes, void* scratch,
                                                     size_t scratch_bytes, const void* packed_weights,
                                                     size_t weights_bytes);
HEED_MUST_USE heed_status heed_multi_head_bind_split(heed_multi_head_attention* layer, const heed_multi_head_plan* plan,
                                                     void* state, size_t state_bytes, void* scratch,
                                                     size_t scratch_bytes, const void* packed_weights,
                                                     size_t weights_bytes);

/* Projects input [batch, tokens, kv_input_dim] and appends the keys and values to the cache, entry b to
 * sequence_ids[b].
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SEQUENCE (none such, or named twice),
 * HEED_CACHE_FULL, HEED_NULL_POINTER, HEED_BAD_STRIDE. */
HEED_MUST_USE heed_status heed_multi_head_append(heed_multi_head_attention* layer, uint32_t batch,
                                                 const uint32_t* sequence_ids, uint32_t tokens, heed_const_matrix input,
                                                 const heed_executor* executor);

/* Attends from `input` over what the cache holds and appends nothing: cross-attention after an append.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SCALE, HEED_BAD_OPTION,
 * HEED_BAD_SEQUENCE, HEED_BAD_LENGTH, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_OVERLAP (the output begins where the
 * input does, and goes on with other strides). */
HEED_MUST_USE heed_status heed_multi_head_attend(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_outputs* outputs, const heed_executor* executor);

/* Appends `input` and attends causally; a token's bits do not depend on how the tokens were split into calls.
 * Statuses: those of heed_multi_head_attend(), HEED_CACHE_FULL, HEED_PLAN_MISMATCH (kv_input_dim is not model_dim). */
HEED_MUST_USE heed_status heed_multi_head_prefill(heed_multi_head_attention* layer,
                                                  const heed_multi_head_inputs* inputs,
                                                  const heed_multi_head_outputs* outputs,
                                                  const heed_executor* executor);

/* Empties the sequences, appends `input` and attends: an encoder layer.
 * Statuses: those of heed_multi_head_prefill(). */
HEED_MUST_USE heed_status heed_multi_head_encode(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_outputs* outputs, const heed_executor* executor);

/* Prefill of one token of one sequence: input [model_dim], output [output_dim]; decode_on has an executor.
 * Statuses: HEED_NOT_INITIALISED, HEED_PLAN_MISMATCH, HEED_BAD_SEQUENCE, HEED_CACHE_FULL, HEED_NULL_POINTER. */
HEED_MUST_USE heed_status heed_multi_head_decode(heed_multi_head_attention* layer, const float* input, float* output,
                                                 uint32_t sequence_id);
HEED_MUST_USE heed_status heed_multi_head_decode_on(heed_multi_head_attention* layer, const float* input, float* output,
                                                    uint32_t sequence_id, const heed_executor* executor);

/* The layer's cache, as heed_float_kv_cache_truncate(), _reset(), _length() and _tokens(), with their statuses. */
HEED_MUST_USE heed_status heed_multi_head_truncate(heed_multi_head_attention* layer, uint32_t sequence,
                                                   uint32_t length);
HEED_MUST_USE heed_status heed_multi_head_reset(heed_multi_head_attention* layer, uint32_t sequence);
uint32_t heed_multi_head_length(const heed_multi_head_attention* layer, uint32_t sequence);
uint32_t heed_multi_head_tokens(const heed_multi_head_attention* layer, uint32_t sequence);

#ifdef __cplusplus
}
#endif
#endif
