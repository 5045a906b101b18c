/* SPDX-License-Identifier: MIT
 *
 * A model over a heed_kv_cache: keys and values in 16 or 8 bits, or in a ring that lets a decoder run forever. The
 * calls of heed_model.h, with their statuses.
 */
#ifndef HEED_HEED_KV_MODEL_H
#define HEED_HEED_KV_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_kv_multi_head.h"
#include "heed/heed_model.h"
#include "heed/heed_model_plan.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As heed_model. */
typedef struct heed_kv_model {
  const heed_kv_model_plan* plan;
  void* state;
  void* scratch;
  const void* file;
  const void* formats[3];
  const void* observer[2];
} heed_kv_model;

/* As heed_model_init() and heed_model_bind(), with their statuses. */
HEED_MUST_USE heed_status heed_kv_model_init(heed_kv_model* model, const heed_kv_model_plan* plan, void* state,
                                             size_t state_bytes, void* scratch, size_t scratch_bytes,
                                             const heed_packed_model* file);
HEED_MUST_USE heed_status heed_kv_model_bind(heed_kv_model* model, const heed_kv_model_plan* plan, void* state,
                                             size_t state_bytes, void* scratch, size_t scratch_bytes,
                                             const heed_packed_model* file);

/* The calls of heed_model.h, with their statuses. In a ring, HEED_CACHE_FULL comes after HEED_MAX_TOKENS tokens alone.
 */
HEED_MUST_USE heed_status heed_kv_model_prefill(heed_kv_model* model, const uint32_t* tokens, size_t count,
                                                float* logits, const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_model_decode(heed_kv_model* model, uint32_t token, float* logits,
                                               const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_model_encode_tokens(heed_kv_model* model, const uint32_t* tokens, size_t count,
                                                      float* logits, const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_model_encode_frames(heed_kv_model* model, heed_const_matrix frames, uint32_t count,
                                                      float* logits, const heed_executor* executor);
HEED_MUST_USE heed_status heed_kv_model_set_context(heed_kv_model* model, heed_const_matrix rows, uint32_t count,
                                                    const heed_executor* executor);

/* Tokens so far, including those that a ring has overwritten. truncate: HEED_BAD_LENGTH, too, for a ring that has
 * overwritten some and a length above its sink_tokens; the other statuses are those of heed_model_truncate(). */
uint32_t heed_kv_model_tokens(const heed_kv_model* model);
HEED_MUST_USE heed_status heed_kv_model_truncate(heed_kv_model* model, uint32_t length);

/* As heed_model_observe(). */
void heed_kv_model_observe(heed_kv_model* model, const heed_stage_observer* observer);

#ifdef __cplusplus
}
#endif
#endif
