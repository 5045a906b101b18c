/* SPDX-License-Identifier: MIT
 *
 * The options of attention: windows, masks, biases, softcap, sinks; options.hpp says more.
 */
#ifndef HEED_HEED_OPTIONS_H
#define HEED_HEED_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_attention.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the elements of a bool mask lie in memory. */
typedef uint8_t heed_mask_format;
enum {
  HEED_MASK_BYTES = 0, /* one byte per key; anything but 0 is true */
  HEED_MASK_BITS = 1   /* eight keys per byte, lowest bit first; every row starts at a byte */
};

/* Which keys each query may see: [batch, heads, queries, keys], true = attend. Strides are in bytes; a stride of 0
 * repeats the mask along its dimension. Keys from key_count on are not seen. */
typedef struct heed_bool_mask {
  const uint8_t* data; /* null: no mask */
  ptrdiff_t batch_stride;
  ptrdiff_t head_stride;
  ptrdiff_t query_stride;
  uint32_t key_count;
  heed_mask_format format;
} heed_bool_mask;

/* Numbers that are added to the scores: [batch, heads, queries, keys]. In a mask, -inf and anything else below -2.35e38
 * masks the key, and keys from key_count on are not seen either; a pre-softcap bias adds nothing to these. */
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
  const uint32_t* prefix_lengths; /* [batch] first keys, which the causal mask never masks; or null */
  uint32_t window_keys_left;      /* keys seen up to the query's own position, which counts; 0: all; up to 2^31 */
  uint32_t window_keys_right;     /* keys seen from the query's own position on, which counts; 0: all; up to 2^31 */
  heed_bool_mask bool_mask;
  heed_score_bias additive_mask;    /* added after the softcap */
  heed_score_bias pre_softcap_bias; /* added before it */
  float softcap;                    /* 1e-30..1e30; 0: none */
  const float* alibi_slopes; /* [heads]: the key at distance d from its query adds -slope * |d|; |d| is exact up to
                                2^24 - 256; or null */
  heed_relative_bias relative_bias;
  const float* sink_logits; /* [heads] a logit that takes part in the softmax without a key; or null */
  heed_score_selection score_selection;
  uint8_t smooth_softmax; /* anything but 0: a sink of 0 for every head; not with sink_logits */
} heed_attention_options;

/* heed_attend() with options; null options are none.
 * Statuses: those of heed_attend(), more of which are about the options. */
HEED_MUST_USE heed_status heed_attend_with_options(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                                   const heed_attention_inputs* inputs,
                                                   const heed_attention_options* options,
                                                   const heed_attention_outputs* outputs,
                                                   const heed_executor* executor);

/* mean [batch, queries, keys] = the mean over the heads of scores [batch, heads, queries, keys], summed in ascending
 * order; every dimension is at least 1. `mean` may be the first head of `scores`.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE. */
HEED_MUST_USE heed_status heed_mean_over_heads(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t keys,
                                               heed_const_tensor scores, heed_matrix mean);

#ifdef __cplusplus
}
#endif
#endif
