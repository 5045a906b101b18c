/* SPDX-License-Identifier: MIT
 *
 * The memory that a model takes, known before it runs; block_plan.hpp and model_plan.hpp say more. Most programs read
 * state_bytes, scratch_bytes and file.bytes alone.
 */
#ifndef HEED_HEED_MODEL_PLAN_H
#define HEED_HEED_MODEL_PLAN_H

#include <stdint.h>

#include "heed/heed_model_config.h"
#include "heed/heed_multi_head.h"
#include "heed/heed_rotary.h"
#include "heed/heed_types.h"
#include "heed/heed_weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of a norm in the weights: float [model_dim] each. RMSNorm has no bias. */
typedef struct heed_norm_plan {
  heed_region weight, bias;
} heed_norm_plan;

typedef struct heed_mlp_plan {
  uint32_t rows;
  heed_region hidden, gate_rows, staging;
  heed_linear_plan gate, up, down;
} heed_mlp_plan;

typedef struct heed_block_plan {
  heed_block_config config;
  heed_block_memory memory;
  heed_multi_head_plan attention, cross;
  heed_region attention_state, cross_state;
  uint32_t state_bytes;
  heed_region branch, layer_scratch;
  uint32_t scratch_bytes;
  heed_norm_plan attention_norm;
  heed_region attention_weights;
  heed_norm_plan cross_norm;
  heed_region cross_weights;
  heed_norm_plan mlp_norm;
  heed_mlp_plan mlp;
  uint32_t weights_bytes;
} heed_block_plan;

/* Where a model file has what. */
typedef struct heed_model_file_plan {
  heed_region header;
  heed_linear_plan input; /* [input_dim, model_dim] of tokens, [model_dim, input_dim] of frames */
  heed_region class_token, positions;
  heed_norm_plan embedding_norm;
  heed_region block_weights; /* of the first block; the others follow */
  heed_norm_plan final_norm;
  heed_linear_plan head; /* of a tied head, the input */
  uint32_t bytes;
} heed_model_file_plan;

/* Three memories: the state, caches of a decoder's blocks or the one that an encoder's blocks share; the scratch, whose
 * content means nothing between calls; and the model file, which is read where it lies. Use it as heed_plan_model()
 * wrote it: a changed one makes calls write outside of their memory. */
typedef struct heed_model_plan {
  heed_model_config config; /* with every 0 replaced by what it means */
  heed_block_plan block;
  heed_rotary_plan rotary;
  heed_region block_state; /* of the first block; a decoder's others follow */
  uint32_t state_bytes;
  heed_region rows, block_scratch, staging;
  uint32_t scratch_bytes;
  heed_model_file_plan file;
} heed_model_plan;

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS, HEED_BAD_OPTION (a member
 * has no such value, does not go with another, or the cache has no such types), HEED_BAD_BASE, HEED_BAD_ROTARY. */
HEED_MUST_USE heed_status heed_plan_model(const heed_model_config* config, const heed_block_memory* memory,
                                          heed_model_plan* plan);

#ifdef __cplusplus
}
#endif
#endif
