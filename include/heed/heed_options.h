/* SPDX-License-Identifier: MIT
 *
 * The options of attention: windows, masks, biases, softcap, sinks; and the numbers for biases. options.hpp says more.
 */
#ifndef HEED_HEED_OPTIONS_H
#define HEED_HEED_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heed/heed_attention.h"
#include "heed/heed_types.h"

/* How the elements of a bool mask lie in memory. */
HEED_ENUM(heed_mask_format, MaskFormat, uint8_t){
    HEED_VALUE(HEED_MASK_BYTES, bytes), /* one byte per key; anything but 0 is true */
    HEED_VALUE(HEED_MASK_BITS, bits)    /* eight keys per byte, lowest bit first; every row starts at a byte */
};

/* Which keys each query may see: [batch, heads, queries, keys], true = attend. Strides are in bytes; a stride of 0
 * repeats the mask along its dimension. Keys from key_count on are not seen. */
HEED_STRUCT(heed_bool_mask, BoolMask) {
  const uint8_t* data HEED_ZERO; /* null: no mask */
  ptrdiff_t batch_stride HEED_ZERO;
  ptrdiff_t head_stride HEED_ZERO;
  ptrdiff_t query_stride HEED_ZERO;
  uint32_t key_count HEED_ZERO;
  heed_mask_format format HEED_ZERO;
};

/* Numbers that are added to the scores: [batch, heads, queries, keys], strides in elements, 0 repeats. In a mask, -inf
 * and anything else below -2.35e38 means that the key is not seen, whatever its score; keys from key_count on are not
 * seen either. A pre-softcap bias adds nothing to keys from key_count on. */
HEED_STRUCT(heed_score_bias, ScoreBias) {
  heed_const_tensor data HEED_ZERO; /* data.data null: none */
  uint32_t key_count HEED_ZERO;
};

/* A bias that depends on the distance of a key from its query alone: the key at position p adds
 * values[h * head_stride + clamp(p - query position, -left, right) + left] to the score of head h. */
HEED_STRUCT(heed_relative_bias, RelativeBias) {
  const float* values HEED_ZERO;   /* [heads, left + 1 + right]; null: none */
  ptrdiff_t head_stride HEED_ZERO; /* in elements; 0 repeats */
  uint32_t left HEED_ZERO;         /* below 2^30, as `right` */
  uint32_t right HEED_ZERO;
};

/* The heads and queries whose scores are written, where not all are wanted: AttentionOutputs::scores is
 * then [batch, heads, queries, keys] with these counts. */
HEED_STRUCT(heed_score_selection, ScoreSelection) {
  uint32_t first_head HEED_ZERO;
  uint32_t head_count HEED_ZERO; /* 0: all from first_head on */
  uint32_t first_query HEED_ZERO;
  uint32_t query_count HEED_ZERO; /* 0: all from first_query on */
};

/* Everything else that attend() can do. All of it composes:
 *
 *   score = scale * (query . key) + pre_softcap_bias
 *   score = softcap * tanh(score / softcap)
 *   score = score + mask + alibi + relative_bias
 *   masked keys are excluded
 *   weight = exp(score) / (sum over the keys seen of exp(score), + exp(sink))
 *
 * A query whose scores are all -inf, by a mask, a bias, a slope or a product, counts as one that sees no key.
 *
 * Key j of a batch entry is at position j; query i is at position i + offset, with the offset that `Causal` defines
 * (bottom_right: the key length - the query length). With Causal::none it is causal_offset, which then masks nothing.
 * All masks hold at once: a key is seen if none of them masks it. Sinks do not enter the log-sum-exp, nor give weight
 * to a query that sees no key. */
HEED_STRUCT(heed_attention_options, AttentionOptions) {
  const int32_t* causal_offsets HEED_ZERO;  /* [batch], in place of causal_offset */
  const uint32_t* query_lengths HEED_ZERO;  /* [batch] queries that exist, 0..queries; the others get 0 */
  const uint32_t* prefix_lengths HEED_ZERO; /* [batch] first keys, which `Causal` never masks */
  uint32_t left_window HEED_ZERO;  /* keys seen up to the query's own position, that one included; 0: all; up to 2^31 */
  uint32_t right_window HEED_ZERO; /* keys seen from the query's own position on, that one included; 0: all */

  heed_bool_mask bool_mask HEED_ZERO;
  heed_score_bias additive_mask HEED_ZERO;
  heed_score_bias pre_softcap_bias HEED_ZERO;
  float softcap HEED_ZERO; /* 1e-30..1e30; 0: none */
  /* [heads]: the key at distance d from its query adds -slope * |d|. |d| is exact up to 2^24 - 256, within 2^-23 of
   * itself up to 2^30 - 256 and taken for about 2^30 beyond. A slope beyond 2.358e38 counts as infinite: then the key
   * at distance 0 gives NaN. */
  const float* alibi_slopes HEED_ZERO;
  heed_relative_bias relative_bias HEED_ZERO;
  const float* sink_logits HEED_ZERO; /* [heads] a logit that takes part in the softmax without a key; below 2.358e38 */
  heed_score_selection score_selection HEED_ZERO;
  bool smooth_softmax HEED_ZERO; /* a sink of 0 for every head; not with sink_logits */
};

/* Directions of T5's relative positions. */
HEED_ENUM(heed_relative_directions, RelativeDirections, uint32_t){
    HEED_VALUE(HEED_RELATIVE_BIDIRECTIONAL,
               bidirectional),               /* encoders: keys after their query have their own buckets */
    HEED_VALUE(HEED_RELATIVE_CAUSAL, causal) /* decoders: keys after their query count as at distance 0 */
};

/* How T5 puts relative positions into buckets (Raffel et al. 2020, arXiv:1910.10683): half of the buckets of a
 * direction hold one distance each, the others grow by a constant ratio up to max_distance, and the last holds all
 * beyond. */
HEED_STRUCT(heed_relative_buckets_config, RelativeBucketsConfig) {
#ifdef HEED_CPP
  using Directions = RelativeDirections;
#endif
  /* Rows of the embedding, of `bidirectional` half for each direction; 2..128 per direction; 0 means 32. */
  uint32_t num_buckets HEED_ZERO;
  uint32_t max_distance HEED_ZERO; /* more than half of a direction's buckets, below 2^30; 0 means 128 */
  heed_relative_directions directions HEED_ZERO;
};

HEED_STRUCT(heed_relative_buckets_plan, RelativeBucketsPlan) {
  heed_relative_buckets_config config HEED_ZERO;
  uint32_t per_direction HEED_ZERO;
  uint32_t exact HEED_ZERO; /* buckets of a direction that hold one distance each */
  uint32_t left HEED_ZERO;  /* of the relative bias, as `right` */
  uint32_t right HEED_ZERO;
  uint32_t columns HEED_ZERO;    /* left + 1 + right: floats per head in the table of a relative bias */
  uint32_t limits[64] HEED_ZERO; /* the least distance of bucket exact + k */
};

#ifdef __cplusplus
extern "C" {
#endif

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

/* ALiBi's slopes for alibi_slopes: writes the first `heads` (1..65536) of slope_count floats.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL. */
HEED_MUST_USE heed_status heed_alibi_slopes(uint32_t heads, float* slopes, size_t slope_count);

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_BAD_OPTION, HEED_TOO_LARGE. */
HEED_MUST_USE heed_status heed_plan_relative_buckets(const heed_relative_buckets_config* config,
                                                     heed_relative_buckets_plan* plan);

/* The bucket of a key at key position - query position; 0 for a null plan. */
uint32_t heed_relative_bucket(const heed_relative_buckets_plan* plan, int32_t relative_position);

/* Lays out T5's embedding, dense [buckets, heads] with embedding_elements floats, as a table in `values`, of which
 * value_count floats are there and heads * plan->columns needed, and sets *bias to it.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_LENGTH (the
 * embedding), HEED_ARENA_TOO_SMALL (the values). */
HEED_MUST_USE heed_status heed_expand_relative_bias(const heed_relative_buckets_plan* plan, const float* embedding,
                                                    size_t embedding_elements, uint32_t heads, float* values,
                                                    size_t value_count, heed_relative_bias* bias);

#ifdef __cplusplus
}
#endif
#endif
