/* SPDX-License-Identifier: MIT
 *
 * The calls of heed_kv_multi_head.h with options; null options are none.
 */
#ifndef HEED_HEED_KV_MULTI_HEAD_OPTIONS_H
#define HEED_HEED_KV_MULTI_HEAD_OPTIONS_H

#include <stdint.h>

#include "heed/heed_kv_multi_head.h"
#include "heed/heed_multi_head_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As in heed_multi_head_options.h, with the statuses of the calls without options and those named there. */
HEED_MUST_USE heed_status heed_kv_multi_head_append_with_options(heed_kv_multi_head_attention* layer,
                                                                 const heed_multi_head_inputs* inputs,
                                                                 const heed_multi_head_options* options,
                                                                 const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_attend_with_options(heed_kv_multi_head_attention* layer,
                                                                 const heed_multi_head_inputs* inputs,
                                                                 const heed_multi_head_options* options,
                                                                 const heed_multi_head_outputs* outputs,
                                                                 const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_prefill_with_options(heed_kv_multi_head_attention* layer,
                                                                  const heed_multi_head_inputs* inputs,
                                                                  const heed_multi_head_options* options,
                                                                  const heed_multi_head_outputs* outputs,
                                                                  const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_encode_with_options(heed_kv_multi_head_attention* layer,
                                                                 const heed_multi_head_inputs* inputs,
                                                                 const heed_multi_head_options* options,
                                                                 const heed_multi_head_outputs* outputs,
                                                                 const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_multi_head_decode_with_options(heed_kv_multi_head_attention* layer,
                                                                 const float* input, float* output,
                                                                 uint32_t sequence_id,
                                                                 const heed_multi_head_options* options,
                                                                 const heed_executor* executor);

#ifdef __cplusplus
}
#endif
#endif
