/* SPDX-License-Identifier: MIT
 *
 * Everything else that a layer's calls can do; multi_head_options.hpp says more.
 */
#ifndef HEED_HEED_MULTI_HEAD_OPTIONS_H
#define HEED_HEED_MULTI_HEAD_OPTIONS_H

#include <stdint.h>

#include "heed/heed_multi_head.h"
#include "heed/heed_options.h"
#include "heed/heed_rotary.h"
#include "heed/heed_types.h"

/* Everything else that a layer's calls can do. A null pointer switches its option off. */
HEED_STRUCT(heed_multi_head_options, MultiHeadOptions) {
  /* Its queries are the call's tokens, its keys those of the sequence in the cache; append() does not read it. A
   * causal offset and the tokens add up to at most 2^31 (bad_option). */
  heed_attention_options attention HEED_ZERO;

  /* Rotates the projected queries and keys (heed/rotary.hpp); its head_dim is the layer's (plan_mismatch). A call that
   * attends rotates its queries, and one that appends rotates its keys, which are stored rotated. */
  const heed_rotary* rotary HEED_ZERO;

  /* [batch, tokens] of the call, dense. Null: each token's number in its sequence. The tokens of attend(), which are
   * not in the cache, count as the last ones there; bad_length if it holds fewer. bad_position: outside the table. */
  const uint32_t* positions HEED_ZERO;
};

#ifdef __cplusplus
extern "C" {
#endif

/* The calls of heed_multi_head.h with options; null options are none.
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
