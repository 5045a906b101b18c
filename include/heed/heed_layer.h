/* SPDX-License-Identifier: MIT
 *
 * The multi-head layer with its projections and its cache; layer.hpp says more.
 */
#ifndef HEED_HEED_LAYER_H
#define HEED_HEED_LAYER_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_attention.h"
#include "heed/heed_cache.h"
#include "heed/heed_linear.h"
#include "heed/heed_options.h"
#include "heed/heed_positions.h"
#include "heed/heed_types.h"

HEED_STRUCT(heed_multi_head_config, MultiHeadConfig) {
  uint32_t model_dim HEED_ZERO;     /* width of the input that queries come from, 1..65536 */
  uint32_t heads HEED_ZERO;         /* query heads, 1..65536; 0 means 1 */
  uint32_t kv_heads HEED_ZERO;      /* key and value heads; heads is a multiple of it; 0 means heads */
  uint32_t head_dim HEED_ZERO;      /* length of a query and of a key; 0 means model_dim / heads, without a remainder */
  uint32_t value_dim HEED_ZERO;     /* length of a value; 0 means head_dim */
  uint32_t kv_input_dim HEED_ZERO;  /* width of the input that keys and values come from; 0 means model_dim */
  uint32_t output_dim HEED_ZERO;    /* width of the output; 0 means model_dim */
  uint32_t max_keys HEED_ZERO;      /* tokens that the cache holds per sequence or page, 1..2^30 */
  uint32_t max_sequences HEED_ZERO; /* independent token streams, or pages, in the cache, 1..2^30; 0 means 1 */
  uint32_t workers HEED_ZERO;       /* most tasks handed to the executor at once, 1..64; 0 means 1 */
  /* Bytes to aim for: for the attention scratch of each worker (0: 128 KiB), and again for the projected rows (0: 256
   * KiB), or for each worker's rows where it gets 16 of them or more. It never changes a bit of the result. */
  uint32_t scratch_budget HEED_ZERO;
  heed_data_type weight_type HEED_ZERO; /* of the four projections */
  /* What the input rows of query, key and value are rounded to, once for all three: float32 leaves them as they are,
   * int8 and int16 make products in integers. */
  heed_data_type row_type HEED_ZERO;
  heed_data_type output_row_type HEED_ZERO; /* the same for the heads' outputs, the rows of the output projection */
  heed_data_type key_type HEED_ZERO;        /* these four are as in heed_kv_cache_config */
  heed_data_type value_type HEED_ZERO;
  uint32_t ring HEED_ZERO;        /* not 0: once every slot is in use, a token overwrites the oldest */
  uint32_t sink_tokens HEED_ZERO; /* ring only: the first tokens, never overwritten; below max_keys */
  /* Columns of a page table whose pages hold max_keys tokens each, a multiple of 16; not in a ring; 0: no page table */
  uint32_t max_pages HEED_ZERO;

  HEED_COMPARED(MultiHeadConfig)
};

/* Three memories: `state_bytes` for what outlives a call, `scratch_bytes` whose content means nothing between calls,
 * and `weights_bytes` of packed weights, which may lie in flash. State and scratch are one arena of `bytes`, state
 * first, or lie apart.
 * Use it as make_plan() wrote it: a changed one makes calls write outside of their memory; a debug build traps. */
HEED_STRUCT(heed_multi_head_plan, MultiHeadPlan) {
  heed_multi_head_config config HEED_ZERO; /* with every 0 replaced by what it means */
  heed_kv_cache_plan cache HEED_ZERO;      /* offsets inside `state` */
  heed_attention_plan attention HEED_ZERO; /* offsets inside `attention_scratch` */
  uint32_t token_rows HEED_ZERO;           /* tokens projected at a time */

  heed_region state HEED_ZERO; /* the key-value cache: all that outlives a call; no pointers inside */
  /* Every worker's. The offsets of this region and of the three below count from the start of the arena. */
  heed_region attention_scratch HEED_ZERO;
  heed_region projected HEED_ZERO; /* float [token_rows, heads * head_dim or kv_heads * (head_dim + value_dim)] */
  heed_region attention_output HEED_ZERO; /* float [token_rows, heads * value_dim] */
  heed_region staging HEED_ZERO;          /* every worker's dequantized weights, or rows rounded to integers; 0 bytes
                                             for weights of float32 */
  uint32_t bytes HEED_ZERO;               /* state_bytes + scratch_bytes */
  uint32_t state_bytes HEED_ZERO;
  uint32_t scratch_bytes HEED_ZERO;

  heed_region weights_header HEED_ZERO; /* identifies the plan that the weights were packed for */
  heed_linear_plan query HEED_ZERO;     /* offsets inside the packed weights, as the three below */
  heed_linear_plan key HEED_ZERO;
  heed_linear_plan value HEED_ZERO;
  heed_linear_plan output HEED_ZERO;
  uint32_t products HEED_ZERO; /* what multiplies by them: weight_type, + 256 where rows are integers, + 512 where some
                                  are and others are float32 */
  uint32_t weights_bytes HEED_ZERO;

  HEED_COMPARED(MultiHeadPlan)
};

/* Trained weights as PyTorch and safetensors store them: row-major [out, in]. A bias may be null, which means zero. */
HEED_STRUCT(heed_multi_head_weights, MultiHeadWeights) {
  const float* query HEED_ZERO;  /* [heads * head_dim, model_dim] */
  const float* key HEED_ZERO;    /* [kv_heads * head_dim, kv_input_dim] */
  const float* value HEED_ZERO;  /* [kv_heads * value_dim, kv_input_dim] */
  const float* output HEED_ZERO; /* [output_dim, heads * value_dim] */
  const float* query_bias HEED_ZERO;
  const float* key_bias HEED_ZERO;
  const float* value_bias HEED_ZERO;
  const float* output_bias HEED_ZERO;
};

HEED_STRUCT(heed_multi_head_inputs, MultiHeadInputs) {
  uint32_t batch HEED_ZERO;               /* 1..2^30; 0 means 1 */
  uint32_t tokens HEED_ZERO;              /* per batch entry, 1..2^30 */
  heed_const_matrix input HEED_ZERO;      /* [batch, tokens, model_dim] */
  const uint32_t* sequence_ids HEED_ZERO; /* [batch] in the cache, all different if appended to; null: 0, 1, ... */
  const uint32_t* key_lengths HEED_ZERO;  /* [batch] keys that exist, 0..length of the sequence; null: all */
  heed_causal causal HEED_ZERO;           /* read by attend() and encode(); prefill() is bottom_right */
  int32_t causal_offset HEED_ZERO;        /* for Causal::offset; with `tokens` at most 2^31 (bad_option) */
  float scale HEED_ZERO;                  /* 0 means 1 / sqrt(head_dim); otherwise |scale| is 2^-126..2.358e38 */

  const uint32_t* page_table HEED_ZERO;   /* [batch, max_pages] pages in place of sequences; null: none */
  const uint32_t* past_lengths HEED_ZERO; /* [batch] tokens in an entry's pages before this call; null: none */

#ifdef HEED_CPP
  /* What `batch` means. */
  [[nodiscard]] constexpr uint32_t entries() const noexcept {
    return batch == 0 ? 1 : batch;
  }
#endif
};

HEED_STRUCT(heed_multi_head_outputs, MultiHeadOutputs) {
  heed_matrix output HEED_ZERO;       /* [batch, tokens, output_dim]; may be the input itself, with the same strides */
  heed_tensor head_outputs HEED_ZERO; /* [batch, heads, tokens, value_dim] before W_O, or data = null */
  /* [batch, heads, tokens, keys], or data = null; keys: the most that a batch entry has once the call has appended, in
   * a ring its slots. */
  heed_tensor scores HEED_ZERO;
  heed_score_stage score_stage HEED_ZERO;
  float* log_sum_exp HEED_ZERO; /* [batch, heads, tokens], or null */
};

/* A layer: only init and bind change the object; it must be zero until then, and the plan outlives it. Its cache lies
 * in the state. */
#ifdef HEED_CPP
namespace heed {
class MultiHeadAttention;
}
using heed_multi_head_attention = heed::MultiHeadAttention;
#else
typedef struct heed_multi_head_attention {
  const void* pointers[11];
} heed_multi_head_attention;
#endif

/* Everything else that a layer's calls can do. A null pointer switches its option off. */
HEED_STRUCT(heed_multi_head_options, MultiHeadOptions) {
  /* Its queries are the call's tokens, its keys those of the sequence in the cache; append() does not read it. A
   * causal offset and the tokens add up to at most 2^31 (bad_option). */
  heed_attention_options attention HEED_ZERO;

  /* Rotates the projected queries and keys (heed/positions.hpp); its head_dim is the layer's (plan_mismatch). A call
   * that attends rotates its queries, and one that appends rotates its keys, which are stored rotated. */
  const heed_rotary* rotary HEED_ZERO;

  /* [batch, tokens] of the call, dense. Null: each token's number in its sequence. The tokens of attend(), which are
   * not in the cache, count as the last ones there; bad_length if it holds fewer. bad_position: outside the table. */
  const uint32_t* positions HEED_ZERO;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS, HEED_BAD_OPTION (no such
 * type, sink tokens without a ring, a page table in a ring or over pages of no multiple of 16 tokens, values in fewer
 * bits that are longer than sixteen keys). */
HEED_MUST_USE heed_status heed_plan_multi_head(const heed_multi_head_config* config, heed_multi_head_plan* plan);

/* Writes views of one matrix [W_Q; W_K; W_V] and its bias to *weights; kv_input_dim must equal model_dim.
 * Statuses: HEED_NULL_POINTER (the plan or *weights). */
HEED_MUST_USE heed_status heed_split_packed(const heed_multi_head_plan* plan, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias, heed_multi_head_weights* weights);

/* Writes the weights into `packed`, at least plan->weights_bytes, in the layout that init and bind take. The first is
 * for float32; a program that calls the second, for every type, links what rounds. linear.hpp says how it is rounded.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED;
 * HEED_BAD_OPTION: heed_pack_weights() of weights that are not float32; HEED_BAD_SCALE: a matrix whose numbers would
 * all become 0 in its type. */
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
 * plan->config.weight_type, or `storage` does not name what the cache needs), HEED_BAD_FLOAT_ENVIRONMENT (without
 * floats in hardware, the program's functions for them are not IEEE's); of bind HEED_BAD_STATE, if no cache of this
 * plan can have left it. */
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

/* The cache, for heed_kv_cache_truncate() and those like it; null for a null layer. */
heed_kv_cache* heed_multi_head_cache(heed_multi_head_attention* layer);

/* The calls above with options; null options are none.
 * Statuses: those of the call without options, more of which are about the options; HEED_PLAN_MISMATCH (rotary
 * positions of another head_dim); HEED_BAD_POSITION, HEED_TOO_LARGE (a position). append does not read
 * options->attention. */
HEED_MUST_USE heed_status heed_multi_head_append_with_options(heed_multi_head_attention* layer,
                                                              const heed_multi_head_inputs* inputs,
                                                              const heed_multi_head_options* options,
                                                              const heed_executor* executor);
HEED_MUST_USE heed_status heed_multi_head_attend_with_options(heed_multi_head_attention* layer,
                                                              const heed_multi_head_inputs* inputs,
                                                              const heed_multi_head_options* options,
                                                              const heed_multi_head_outputs* outputs,
                                                              const heed_executor* executor);
HEED_MUST_USE heed_status heed_multi_head_prefill_with_options(heed_multi_head_attention* layer,
                                                               const heed_multi_head_inputs* inputs,
                                                               const heed_multi_head_options* options,
                                                               const heed_multi_head_outputs* outputs,
                                                               const heed_executor* executor);
HEED_MUST_USE heed_status heed_multi_head_encode_with_options(heed_multi_head_attention* layer,
                                                              const heed_multi_head_inputs* inputs,
                                                              const heed_multi_head_options* options,
                                                              const heed_multi_head_outputs* outputs,
                                                              const heed_executor* executor);
HEED_MUST_USE heed_status heed_multi_head_decode_with_options(heed_multi_head_attention* layer, const float* input,
                                                              float* output, uint32_t sequence_id,
                                                              const heed_multi_head_options* options,
                                                              const heed_executor* executor);

#ifdef __cplusplus
}
#endif
#endif
