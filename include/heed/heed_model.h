/* SPDX-License-Identifier: MIT
 *
 * A whole model from a model file: tokens or frames in, logits out; model.hpp says more.
 *
 *     status = heed_read_model(file, sizeof file, &config, NULL);    (or the configuration from `heed pack --incbin`)
 *     status = heed_plan_model(&config, &memory, &plan);             (what it takes; `heed plan` prints the same)
 *     status = heed_model_init(&model, &plan, state, sizeof state, scratch, sizeof scratch, &packed, NULL);
 *     status = heed_model_decode(&model, token, logits, NULL);
 */
#ifndef HEED_HEED_MODEL_H
#define HEED_HEED_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_model_config.h"
#include "heed/heed_model_plan.h"
#include "heed/heed_types.h"

/* A model file, which may lie in flash, and what reads its weights. A program links the formats that it names. */
typedef struct heed_packed_model {
  const void* bytes; /* on a HEED_ARENA_ALIGNMENT boundary */
  size_t size;
  const heed_format* const* formats; /* [format_count], in any order; null with a count of 0: float32 alone */
  size_t format_count;
} heed_packed_model;

/* What a model has computed when an observer is called. */
HEED_ENUM(heed_stage, Stage, uint32_t){
    HEED_VALUE(HEED_STAGE_EMBEDDING, embedding), /* rows [model_dim] that enter the first transformer block */
    HEED_VALUE(HEED_STAGE_ATTENTION, attention), /* what the attention of a block adds, after its output
                                                    projection */
    HEED_VALUE(HEED_STAGE_CROSS_ATTENTION, cross_attention), /* likewise */
    HEED_VALUE(HEED_STAGE_MLP, mlp),                         /* what the MLP of a block adds */
    HEED_VALUE(HEED_STAGE_BLOCK, block),                     /* rows that leave a block */
    HEED_VALUE(HEED_STAGE_OUTPUT, output)                    /* what the model returns */
};

/* Is shown every intermediate result: what a device computes otherwise than a desktop begins at the first stage that
 * differs. It changes no bit of the results. */
HEED_STRUCT(heed_stage_observer, StageObserver) {
  void* context HEED_ZERO; /* passed on unchanged */

  /* values [rows, columns], dense, valid during the call; `block` is 0 outside of the transformer blocks. Null: nobody
   * looks. */
  void (*see)(void* context, uint32_t block, heed_stage stage, const float* values, uint32_t rows, uint32_t columns)
      HEED_ZERO;
};

/* A model: pointers to its plan, which outlives it, and to its memories. It must be zero until init or bind, and may be
 * copied while no call runs. */
#ifdef HEED_CPP
namespace heed {
class Model;
}
using heed_model = heed::Model;
#else
typedef struct heed_model {
  const void* pointers[14];
} heed_model;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Takes state (at least plan->state_bytes), scratch (plan->scratch_bytes) and a model file (plan->file.bytes), each on
 * a HEED_ARENA_ALIGNMENT boundary: init empties the caches, bind keeps what a model of this plan left in the state. The
 * file's header is compared with the plan; heed_read_model() checks the rest.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED,
 * HEED_OVERLAP, HEED_WRONG_WEIGHTS (a file of another configuration), HEED_MISSING_FORMAT (a format that it needs is
 * not named, or `storage` does not name what its caches need); of bind HEED_BAD_STATE, if no model of this plan can
 * have left it. */
HEED_MUST_USE heed_status heed_model_init(heed_model* model, const heed_model_plan* plan, void* state,
                                          size_t state_bytes, void* scratch, size_t scratch_bytes,
                                          const heed_packed_model* file, const heed_kv_storage* storage);
HEED_MUST_USE heed_status heed_model_bind(heed_model* model, const heed_model_plan* plan, void* state,
                                          size_t state_bytes, void* scratch, size_t scratch_bytes,
                                          const heed_packed_model* file, const heed_kv_storage* storage);

/* A decoder: appends tokens [count]. logits [outputs] of the last one; with HEED_POOLING_EVERY [count, outputs] of all;
 * without a head rows [model_dim] in their place. The bits do not depend on how the tokens were split into calls.
 * Decode is prefill of one token.
 * Statuses: HEED_NOT_INITIALISED (with cross-attention, also before a context is set), HEED_PLAN_MISMATCH (not a
 * decoder of tokens), HEED_ZERO_DIMENSION, HEED_NULL_POINTER, HEED_BAD_TOKEN, HEED_CACHE_FULL, HEED_BAD_POSITION. */
HEED_MUST_USE heed_status heed_model_prefill(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                                             const heed_executor* executor);
HEED_MUST_USE heed_status heed_model_decode(heed_model* model, uint32_t token, float* logits,
                                            const heed_executor* executor);

/* An encoder of tokens [count], or of frames [1, count, input_dim]: logits [outputs], or with HEED_POOLING_EVERY
 * [rows, outputs], where rows counts the class token, too.
 * Statuses: those of heed_model_prefill(), of an encoder; HEED_TOO_LARGE (more rows than the plan's), HEED_BAD_STRIDE.
 */
HEED_MUST_USE heed_status heed_model_encode_tokens(heed_model* model, const uint32_t* tokens, size_t count,
                                                   float* logits, const heed_executor* executor);
HEED_MUST_USE heed_status heed_model_encode_frames(heed_model* model, heed_const_matrix frames, uint32_t count,
                                                   float* logits, const heed_executor* executor);

/* What every block's cross-attention looks at: rows [1, count, cross_dim] of an encoder.
 * Statuses: HEED_NOT_INITIALISED, HEED_PLAN_MISMATCH (no cross-attention), HEED_ZERO_DIMENSION, HEED_NULL_POINTER,
 * HEED_BAD_STRIDE, HEED_CACHE_FULL. */
HEED_MUST_USE heed_status heed_model_set_context(heed_model* model, heed_const_matrix rows, uint32_t count,
                                                 const heed_executor* executor);

/* Tokens of a decoder so far, those too that a ring has overwritten; 0 for a null model. */
uint32_t heed_model_tokens(const heed_model* model);

/* Removes a decoder's tokens from number `length` on.
 * Statuses: HEED_NOT_INITIALISED, HEED_PLAN_MISMATCH (an encoder), HEED_BAD_LENGTH (it has fewer, or a ring has
 * overwritten some and keeps fewer). */
HEED_MUST_USE heed_status heed_model_truncate(heed_model* model, uint32_t length);

/* Who is shown the stages of the calls that follow, after init or bind; the observer is copied. Null, or a null `see`:
 * nobody. */
void heed_model_observe(heed_model* model, const heed_stage_observer* observer);

/* A stage in words, in static storage; never null. */
const char* heed_stage_to_string(heed_stage stage);

#ifdef __cplusplus
}
#endif
#endif
