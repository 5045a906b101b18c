/* SPDX-License-Identifier: MIT
 *
 * heed for C99: scaled dot-product attention, a key-value cache, a multi-head layer and positional encodings in fixed
 * memory. It does what the C++ headers next to it do, with the same bits; each struct mirrors the C++ struct of that
 * name member by member, and attention.hpp, cache.hpp, multi_head.hpp and positions.hpp say more about each.
 *
 * The order of work: fill a configuration, let heed_plan_...() turn it into a plan, provide plan.bytes of memory on a
 * HEED_ARENA_ALIGNMENT boundary, run. Nothing is ever allocated. A static arena needs its size before the program runs;
 * C cannot run the plan in the preprocessor, so take the number from `heed plan` on the desktop or from the constexpr
 * plan of the C++ headers (it is the same for every target), write it down and let the first call check it:
 *
 *     HEED_ALIGNED static unsigned char arena[ARENA_BYTES];
 *     static heed_multi_head_attention layer;
 *     ...
 *     status = heed_plan_multi_head(&config, &plan);
 *     status = heed_multi_head_init(&layer, &plan, arena, sizeof arena, weights, sizeof weights);
 *     status = heed_multi_head_decode(&layer, x, y, 0);
 *
 * HEED_ARENA_TOO_SMALL then means that ARENA_BYTES is out of date. Set every struct to zero before filling it; where a
 * member says "0 means", zero is its default. A null pointer to a struct gives HEED_NULL_POINTER, except for executors
 * and options, where it means none.
 */
#ifndef HEED_HEED_H
#define HEED_HEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the calling thread rounds to nearest and keeps subnormal numbers, which the same bits need; see
 * float_environment.hpp. */
bool heed_float_environment_is_standard(void);

/* ---- Key-value cache ---- */

typedef struct heed_float_kv_cache_config {
  uint32_t max_sequences; /* independent token streams, 1..2^30 */
  uint32_t kv_heads;      /* 1..65536 */
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

/* A plan and a pointer, both set by init or bind. All state lies in the memory and holds no pointer, so a byte copy of
 * the memory is a snapshot. The object must be zero until then; it may be copied. */
typedef struct heed_float_kv_cache {
  heed_float_kv_cache_plan plan;
  void* memory;
} heed_float_kv_cache;

/* HEED_ZERO_DIMENSION or HEED_TOO_LARGE for a configuration that cannot work; *plan is then left as it was. */
heed_status heed_plan_float_kv_cache(const heed_float_kv_cache_config* config, heed_float_kv_cache_plan* plan);

/* Takes memory of at least plan->bytes: init empties every sequence, bind keeps what a cache of this plan left there
 * (HEED_BAD_STATE if none can have) and does not look at what is written over it later. */
heed_status heed_float_kv_cache_init(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan, void* memory,
                                     size_t memory_bytes);
heed_status heed_float_kv_cache_bind(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan, void* memory,
                                     size_t memory_bytes);

/* Appends tokens to one sequence: key [1, kv_heads, tokens, head_dim], value [1, kv_heads, tokens, value_dim].
 * HEED_BAD_SEQUENCE or HEED_CACHE_FULL if there is no such sequence or not enough room. */
heed_status heed_float_kv_cache_append(heed_float_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                       heed_const_tensor key, heed_const_tensor value);

/* Keeps the first `length` tokens of a sequence, 0..its length (HEED_BAD_LENGTH); reset keeps none. */
heed_status heed_float_kv_cache_truncate(heed_float_kv_cache* cache, uint32_t sequence, uint32_t length);
heed_status heed_float_kv_cache_reset(heed_float_kv_cache* cache, uint32_t sequence);

/* Tokens in a sequence; 0 for one that does not exist and for a null cache. */
uint32_t heed_float_kv_cache_length(const heed_float_kv_cache* cache, uint32_t sequence);

/* ---- Attention ---- */

typedef struct heed_attention_config {
  uint32_t heads;          /* query heads, 1..65536 */
  uint32_t kv_heads;       /* key and value heads, a divisor of heads; 0 means heads */
  uint32_t head_dim;       /* length of a query and of a key, 1..65536 */
  uint32_t value_dim;      /* length of a value; 0 means head_dim */
  uint32_t max_keys;       /* most keys of a run; 0 means 2^30 */
  uint32_t workers;        /* most tasks handed to the executor at once, 1..64 */
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

typedef struct heed_attention_inputs {
  uint32_t batch;                   /* 1..2^30 */
  uint32_t query_count;             /* per batch entry, 1..2^30 */
  uint32_t key_count;               /* per batch entry, 0..max_keys; this and the two below are not read with a cache */
  heed_const_tensor query;          /* [batch, heads, queries, head_dim] */
  heed_const_tensor key;            /* [batch, kv_heads, keys, head_dim] */
  heed_const_tensor value;          /* [batch, kv_heads, keys, value_dim] */
  const heed_float_kv_cache* cache; /* keys and values come from here; or null */
  const uint32_t* sequence_ids;     /* [batch] sequence of each entry in the cache; null: 0, 1, 2, ... */
  const uint32_t* key_lengths;      /* [batch] keys that exist, 0..keys (or the cache's length); null: all */
  heed_causal causal;
  int32_t causal_offset; /* for HEED_CAUSAL_OFFSET; may be negative */
  float scale;           /* score = scale * (query . key), |scale| 2^-126..2.358e38; 0 means 1 / sqrt(head_dim) */
} heed_attention_inputs;

/* No optional output changes a bit of `output`. Outputs must not overlap inputs. */
typedef struct heed_attention_outputs {
  heed_tensor output;           /* [batch, heads, queries, value_dim]; 0 for a query that sees no key */
  heed_tensor scores;           /* [batch, heads, queries, keys], or data = null */
  heed_score_stage score_stage; /* what `scores` receives; 0 is HEED_SCORE_RAW */
  float* log_sum_exp;           /* [batch, heads, queries], -inf for a query that sees no key; or null */
} heed_attention_outputs;

/* HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE or HEED_BAD_WORKERS for a configuration that cannot
 * work; *plan is then left as it was. */
heed_status heed_plan_attention(const heed_attention_config* config, heed_attention_plan* plan);

/* softmax(scale * Q K^T + masks) V for every batch entry and head; query head h reads key head h / (heads / kv_heads).
 * arena is at least plan->bytes. */
heed_status heed_attend(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                        const heed_attention_inputs* inputs, const heed_attention_outputs* outputs,
                        const heed_executor* executor);

/* ---- Multi-head layer ---- */

typedef struct heed_multi_head_config {
  uint32_t model_dim;      /* width of the input that queries come from, 1..65536 */
  uint32_t heads;          /* query heads, 1..65536 */
  uint32_t kv_heads;       /* key and value heads, a divisor of heads; 0 means heads */
  uint32_t head_dim;       /* length of a query and of a key; 0 means model_dim / heads */
  uint32_t value_dim;      /* length of a value; 0 means head_dim */
  uint32_t kv_input_dim;   /* width of the input that keys and values come from; 0 means model_dim */
  uint32_t output_dim;     /* width of the output; 0 means model_dim */
  uint32_t max_keys;       /* tokens that the cache holds per sequence, 1..2^30 */
  uint32_t max_sequences;  /* independent token streams in the cache, 1..2^30 */
  uint32_t workers;        /* most tasks handed to the executor at once, 1..64 */
  uint32_t scratch_budget; /* bytes of scratch to aim for, see multi_head.hpp; 0 is a good choice; changes no bit */
} heed_multi_head_config;

typedef struct heed_projection_plan {
  uint32_t inputs, outputs;
  heed_region panels, bias;
} heed_projection_plan;

/* Use it as heed_plan_multi_head() wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_multi_head_plan {
  heed_multi_head_config config; /* with every 0 replaced by what it means */
  heed_float_kv_cache_plan cache;
  heed_attention_plan attention;
  uint32_t token_rows;
  heed_region state; /* all of the arena that outlives a call; holds no pointer */
  heed_region attention_scratch, projected, attention_output;
  uint32_t bytes; /* the arena */
  heed_region weights_header;
  heed_projection_plan query, key, value, output;
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
  uint32_t batch;               /* 1..2^30 */
  uint32_t tokens;              /* per batch entry, 1..2^30 */
  heed_const_matrix input;      /* [batch, tokens, model_dim] */
  const uint32_t* sequence_ids; /* [batch] in the cache, all different if appended to; null: 0, 1, ... */
  const uint32_t* key_lengths;  /* [batch] keys that exist, 0..length of the sequence; null: all */
  heed_causal causal;           /* for attend and encode; prefill is bottom-right */
  int32_t causal_offset;        /* for HEED_CAUSAL_OFFSET */
  float scale;                  /* |scale| is 2^-126..2.358e38; 0 means 1 / sqrt(head_dim) */
} heed_multi_head_inputs;

typedef struct heed_multi_head_outputs {
  heed_matrix output;           /* [batch, tokens, output_dim] */
  heed_tensor head_outputs;     /* [batch, heads, tokens, value_dim] before W_O, or data = null */
  heed_tensor scores;           /* [batch, heads, tokens, keys], or data = null */
  heed_score_stage score_stage; /* what `scores` receives; 0 is HEED_SCORE_RAW */
  float* log_sum_exp;           /* [batch, heads, tokens], or null */
} heed_multi_head_outputs;

/* A layer: only init and bind change the object; it must be zero until then. Its cache lies in the arena. */
typedef struct heed_multi_head_attention {
  heed_multi_head_plan plan;
  heed_float_kv_cache cache;
  void* arena;
  const void* weights;
} heed_multi_head_attention;

/* The statuses of heed_plan_attention() for a configuration that cannot work; *plan is then left as it was. */
heed_status heed_plan_multi_head(const heed_multi_head_config* config, heed_multi_head_plan* plan);

/* Views of one matrix [W_Q; W_K; W_V] and its bias; kv_input_dim must equal model_dim. All null for a null plan. */
heed_multi_head_weights heed_split_packed(const heed_multi_head_plan* plan, const float* input_weight,
                                          const float* input_bias, const float* output_weight,
                                          const float* output_bias);

/* Writes the weights into `packed`, at least plan->weights_bytes, in the layout that init and bind take. */
heed_status heed_pack_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights, void* packed,
                              size_t packed_bytes);

/* Takes an arena of at least plan->bytes and packed weights, which may lie in flash (HEED_WRONG_WEIGHTS if they belong
 * to another plan): init empties the cache, bind keeps the state that the arena already holds (HEED_BAD_STATE if that
 * of no cache of this plan). */
heed_status heed_multi_head_init(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* arena,
                                 size_t arena_bytes, const void* packed_weights, size_t weights_bytes);
heed_status heed_multi_head_bind(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* arena,
                                 size_t arena_bytes, const void* packed_weights, size_t weights_bytes);

/* Projects memory [batch, tokens, kv_input_dim] and appends the keys and values to the cache, entry b to sequences[b].
 */
heed_status heed_multi_head_append(heed_multi_head_attention* layer, uint32_t batch, const uint32_t* sequences,
                                   uint32_t tokens, heed_const_matrix memory, const heed_executor* executor);

/* Attends from x over what the cache holds and appends nothing: cross-attention after an append. */
heed_status heed_multi_head_attend(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor);

/* Appends x and attends causally; a token's bits do not depend on how the tokens were split into calls. */
heed_status heed_multi_head_prefill(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor);

/* Empties the sequences, appends x and attends: an encoder layer. */
heed_status heed_multi_head_encode(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor);

/* Prefill of one token of one sequence: x [model_dim], y [output_dim]. */
heed_status heed_multi_head_decode(heed_multi_head_attention* layer, const float* x, float* y, uint32_t sequence);

/* The layer's cache, as heed_float_kv_cache_truncate(), _reset() and _length(). */
heed_status heed_multi_head_truncate(heed_multi_head_attention* layer, uint32_t sequence, uint32_t length);
heed_status heed_multi_head_reset(heed_multi_head_attention* layer, uint32_t sequence);
uint32_t heed_multi_head_length(const heed_multi_head_attention* layer, uint32_t sequence);

/* ---- Positions and embeddings ---- */

/* Adds the sines and cosines of (first_position + row) / base^(2 i / dim) to x [1, rows, dim], in place, each within
 * 2^-24 of the exact one. base is finite and above 1, 10000 as a rule (HEED_BAD_SCALE). */
heed_status heed_add_sinusoidal_positions(heed_matrix x, uint32_t rows, uint32_t dim, uint32_t first_position,
                                          heed_sinusoid_layout order, float base);

/* Copies table row tokens[t] into row t of x [1, token_count, dim]. table is dense [vocabulary, dim] and holds
 * table_elements floats, a multiple of dim (HEED_BAD_LENGTH); a token outside it gives HEED_BAD_TOKEN. */
heed_status heed_embedding_lookup(const float* table, size_t table_elements, uint32_t dim, const uint32_t* tokens,
                                  size_t token_count, heed_matrix x);

#ifdef __cplusplus
}
#endif

#include "heed/heed_kv_cache.h"
#include "heed/heed_options.h"
#include "heed/heed_rotary.h"

#endif
