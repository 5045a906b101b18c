/* SPDX-License-Identifier: MIT
 *
 * Layers over weights in few bits: config.weight_type is any of heed_weights.h. Everything else is as in
 * heed_multi_head.h and heed_kv_multi_head.h.
 */
#ifndef HEED_HEED_LAYER_WEIGHTS_H
#define HEED_HEED_LAYER_WEIGHTS_H

#include <stddef.h>

#include "heed/heed_kv_multi_head.h"
#include "heed/heed_multi_head.h"
#include "heed/heed_types.h"
#include "heed/heed_weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As heed_pack_weights() and heed_kv_pack_weights(), for every type; a program that calls them links what rounds.
 * linear.hpp says how it is rounded.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED. */
HEED_MUST_USE heed_status heed_pack_rounded_weights(const heed_multi_head_plan* plan,
                                                    const heed_multi_head_weights* weights, void* packed,
                                                    size_t packed_bytes);
HEED_MUST_USE heed_status heed_kv_pack_rounded_weights(const heed_kv_multi_head_plan* plan,
                                                       const heed_multi_head_weights* weights, void* packed,
                                                       size_t packed_bytes);

/* As heed_multi_head_init_split() and those like it, with the format of the weights.
 * Statuses: theirs; HEED_MISSING_FORMAT, too, if the format is not that of plan->config.weight_type. */
HEED_MUST_USE heed_status heed_multi_head_init_packed(heed_multi_head_attention* layer,
                                                      const heed_multi_head_plan* plan, void* state, size_t state_bytes,
                                                      void* scratch, size_t scratch_bytes,
                                                      const heed_packed_weights* weights);
HEED_MUST_USE heed_status heed_multi_head_bind_packed(heed_multi_head_attention* layer,
                                                      const heed_multi_head_plan* plan, void* state, size_t state_bytes,
                                                      void* scratch, size_t scratch_bytes,
                                                      const heed_packed_weights* weights);
HEED_MUST_USE heed_status heed_kv_multi_head_init_packed(heed_kv_multi_head_attention* layer,
                                                         const heed_kv_multi_head_plan* plan, void* state,
                                                         size_t state_bytes, void* scratch, size_t scratch_bytes,
                                                         const heed_packed_weights* weights);
HEED_MUST_USE heed_status heed_kv_multi_head_bind_packed(heed_kv_multi_head_attention* layer,
                                                         const heed_kv_multi_head_plan* plan, void* state,
                                                         size_t state_bytes, void* scratch, size_t scratch_bytes,
                                                         const heed_packed_weights* weights);

#ifdef __cplusplus
}
#endif
#endif
