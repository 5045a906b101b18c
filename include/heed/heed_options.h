/* SPDX-License-Identifier: MIT
 *
 * The options of attention: windows, masks, biases, softcap, sinks; options.hpp says more.
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

#ifdef __cplusplus
}
#endif
#endif
