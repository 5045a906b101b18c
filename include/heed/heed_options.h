/* SPDX-License-Identifier: MIT
 *
 * What attention and layers can do besides: windows, masks, biases, softcap, sinks; and merging of partial results.
 * Part of heed.h; options.hpp, biases.hpp, merge.hpp and multi_head_options.hpp say more about each.
 */
#include "heed/heed.h" /* outside of the guard, as heed.h ends with this header */

#ifndef HEED_HEED_OPTIONS_H
#define HEED_HEED_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options of attention ---- */

/* How the elements of a bool mask lie in memory. */
typedef uint8_t heed_mask_format;
enum {
  HEED_MASK_BYTES = 0, /* one byte per key; anything but 0 is true */
  HEED_MASK_BITS = 1   /* eight keys per byte, the lowest bit first; every row begins on a byte */
};

/* Which keys each query may see: [batch, heads, queries, keys], true = attend. Strides are in bytes; a stride of 0
 * repeats the mask along its dimension. Keys from `keys` on are not seen. */
typedef struct heed_bool_mask {
  const uint8_t* data; /* null: no mask */
  ptrdiff_t batch_stride;
  ptrdiff_t head_stride;
  ptrdiff_t query_stride;
  uint32_t key_count;
  heed_mask_format format;
} heed_bool_mask;

/* Numbers that are added to the scores: [batch, heads, queries, keys]. In a mask, -inf and anything else below -2.35e38
 * hides the key, and keys from `keys` on are not seen either; in a pre-cap bias these get nothing. */
typedef struct heed_score_bias {
  heed_const_tensor data; /* data.data null: none */
  uint32_t key_count;
} heed_score_bias;

/* A bias of the distance alone: the key at position p adds
 * values[h * head_stride + clamp(p - query position, -left, right) + left] to the score of head h. */
typedef struct heed_relative_bias {
  const float* values;   /* [heads, left + 1 + right]; null: none */
  ptrdiff_t head_stride; /* in elements; 0 repeats */
  uint32_t left;         /* below 2^30, as `right` */
  uint32_t right;
} heed_relative_bias;

/* The heads and queries whose scores are written: heed_attention_outputs.scores is [batch, heads, queries, keys] of
 * these counts then. */
typedef struct heed_score_selection {
  uint32_t first_head;
  uint32_t head_count; /* 0: all from first_head on */
  uint32_t first_query;
  uint32_t query_count; /* 0: all from first_query on */
} heed_score_selection;

/* All of it composes, in the order that options.hpp gives; a struct of zeros has no option. Here, unlike in C++, the
 * query's own position counts as part of both sides of the window, so that 0 can mean that there is none: a sliding
 * window of the last 4096 keys is window_keys_left = 4096, which is window_left = 4095 in C++. */
typedef struct heed_attention_options {
  const int32_t* causal_offsets;  /* [batch], in place of causal_offset; or null */
  const uint32_t* query_lengths;  /* [batch] queries that exist, 0..queries; the others get 0; or null */
  const uint32_t* prefix_lengths; /* [batch] keys that the causal mask does not hide from any query; or null */
  uint32_t window_keys_left;      /* keys seen up to the query's own position, which counts; 0: all; up to 2^31 */
  uint32_t window_keys_right;     /* keys seen from the query's own position on, which counts; 0: all; up to 2^31 */
  heed_bool_mask bool_mask;
  heed_score_bias additive_mask;    /* added behind the softcap */
  heed_score_bias pre_softcap_bias; /* added in front of it */
  float softcap;                    /* 1e-30..1e30; 0: none */
  const float* alibi_slopes; /* [heads]: the key at distance d from its query adds -slope * |d|; |d| is exact up to
                                2^24 - 256; or null */
  heed_relative_bias relative_bias;
  const float* sink_logits; /* [heads] a logit that takes part in the softmax without a key; or null */
  heed_score_selection score_selection;
  uint8_t smooth_softmax; /* anything but 0: a sink of 0 for every head; not with `sinks` */
} heed_attention_options;

/* heed_attend() with options; null options are none. HEED_BAD_OPTION for an option outside its range. */
heed_status heed_attend_with_options(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                     const heed_attention_inputs* inputs, const heed_attention_options* options,
                                     const heed_attention_outputs* outputs, const heed_executor* executor);

/* mean [batch, queries, keys] = the mean over the heads of scores [batch, heads, queries, keys], summed in ascending
 * order; every dimension is at least 1. `mean` may be the first head of `scores`. */
heed_status heed_mean_over_heads(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t keys,
                                 heed_const_tensor scores, heed_matrix mean);

/* ---- Merging ---- */

/* What heed_attend() gives for a part of the keys. */
typedef struct heed_partial_attention {
  heed_const_tensor output; /* [batch, heads, queries, value_dim] */
  const float* log_sum_exp; /* [batch, heads, queries] */
} heed_partial_attention;

/* Attention over the keys of all parts together, each summed with the weight exp(its log-sum-exp - that of all), in the
 * order given. `output` and `log_sum_exp` (or null) may be those of the first part. A part is not read in the rows
 * where its log-sum-exp is -inf; without parts, or where that of every part is, the result is 0 and -inf. */
heed_status heed_merge(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t value_dim,
                       const heed_partial_attention* parts, size_t part_count, heed_tensor output, float* log_sum_exp);

/* ---- Biases ---- */

/* ALiBi's slopes for alibi_slopes: writes the first `heads` (1..65536) of slope_count floats, HEED_ARENA_TOO_SMALL if
 * these are fewer. */
heed_status heed_alibi_slopes(uint32_t heads, float* slopes, size_t slope_count);

/* Directions of T5's relative positions. */
typedef uint32_t heed_relative_directions;
enum {
  HEED_RELATIVE_BIDIRECTIONAL = 0, /* encoders: keys behind their query have buckets of their own */
  HEED_RELATIVE_CAUSAL = 1         /* decoders: keys behind their query count as at distance 0 */
};

/* How T5 puts relative positions into buckets. */
typedef struct heed_relative_buckets_config {
  uint32_t num_buckets; /* rows of the embedding, of `both` half for each direction; 2..128 per direction; 0 means 32 */
  uint32_t max_distance; /* more than half of a direction's buckets, below 2^30; 0 means 128 */
  heed_relative_directions directions;
} heed_relative_buckets_config;

typedef struct heed_relative_buckets_plan {
  heed_relative_buckets_config config; /* with every 0 replaced by what it means */
  uint32_t per_direction, exact;
  uint32_t left, right; /* of the heed_relative_bias */
  uint32_t columns;     /* floats per head in its table */
  uint32_t limits[64];  /* the least distance of bucket exact + k */
} heed_relative_buckets_plan;

/* HEED_BAD_OPTION or HEED_TOO_LARGE for a configuration that cannot work; *plan is then left as it was. */
heed_status heed_plan_relative_buckets(const heed_relative_buckets_config* config, heed_relative_buckets_plan* plan);

/* The bucket of a key at key position - query position; 0 for a null plan. */
uint32_t heed_relative_bucket(const heed_relative_buckets_plan* plan, int32_t relative_position);

/* Lays out T5's embedding, dense [buckets, heads] with embedding_elements floats (HEED_BAD_LENGTH), as a table in
 * `values`, of which value_count floats are there and heads * plan->columns needed (HEED_ARENA_TOO_SMALL), and sets
 * *bias to it. */
heed_status heed_expand_relative_bias(const heed_relative_buckets_plan* plan, const float* embedding,
                                      size_t embedding_elements, uint32_t heads, float* values, size_t value_count,
                                      heed_relative_bias* bias);

/* ---- Options of a layer ---- */

typedef struct heed_multi_head_options {
  heed_attention_options attention; /* its queries are the call's tokens, its keys those of the sequence in the cache;
                                       append does not read it */
  const struct heed_rotary* rotary; /* turns the projected queries and keys, which lie turned in the cache; its head_dim
                                       is the layer's (HEED_BAD_OPTION); or null */
  const uint32_t* positions; /* [batch, tokens] of the call, dense; null: each token's number in its sequence. The
                                tokens of attend, which are not in the cache, count as the last ones there:
                                HEED_BAD_LENGTH if it holds fewer, and for a position outside the table */
} heed_multi_head_options;

/* The calls of heed.h with options; null options are none. */
heed_status heed_multi_head_append_with_options(heed_multi_head_attention* layer, uint32_t batch,
                                                const uint32_t* sequences, uint32_t tokens, heed_const_matrix memory,
                                                const heed_multi_head_options* options, const heed_executor* executor);
heed_status heed_multi_head_attend_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor);
heed_status heed_multi_head_prefill_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_options* options,
                                                 const heed_multi_head_outputs* outputs, const heed_executor* executor);
heed_status heed_multi_head_encode_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor);

#ifdef __cplusplus
}
#endif
#endif
