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

/* Where a norm's parameters lie in the weights: float [model_dim] each. RMSNorm has no bias. */
HEED_STRUCT(heed_norm_plan, NormPlan) {
  heed_region weight HEED_ZERO;
  heed_region bias HEED_ZERO;

  HEED_COMPARED(NormPlan)
};

/* The MLP of a transformer block: its weights, and hidden rows of as many rows at a time as the scratch budget allows.
 */
HEED_STRUCT(heed_mlp_plan, MlpPlan) {
  uint32_t rows HEED_ZERO;
  heed_region hidden HEED_ZERO;    /* float [rows, mlp_dim], in the scratch */
  heed_region gate_rows HEED_ZERO; /* float [rows, mlp_dim], if gated */
  heed_region staging HEED_ZERO;   /* every worker's dequantized weights, in the scratch; 0 bytes for float32 */
  heed_linear_plan gate HEED_ZERO;
  heed_linear_plan up HEED_ZERO;
  heed_linear_plan down HEED_ZERO;

  HEED_COMPARED(MlpPlan)
};

/* Three memories, as in a MultiHeadPlan. The rows that go through are the caller's.
 * Use it as make_plan() wrote it: a changed one makes calls write outside of their memory; a debug build traps. */
HEED_STRUCT(heed_block_plan, BlockPlan) {
  heed_block_config config HEED_ZERO; /* with every 0 replaced by what it means */
  heed_block_memory memory HEED_ZERO;
  heed_multi_head_plan attention HEED_ZERO;
  heed_multi_head_plan cross HEED_ZERO;

  heed_region attention_state HEED_ZERO; /* offsets inside the state */
  heed_region cross_state HEED_ZERO;
  uint32_t state_bytes HEED_ZERO;

  heed_region branch HEED_ZERO;        /* float [rows, model_dim]: what goes into or comes out of attention and MLP */
  heed_region layer_scratch HEED_ZERO; /* of either attention; the hidden rows of the MLP lie in the same bytes */
  uint32_t scratch_bytes HEED_ZERO;

  heed_norm_plan attention_norm HEED_ZERO;
  heed_region attention_weights HEED_ZERO;
  heed_norm_plan cross_norm HEED_ZERO;
  heed_region cross_weights HEED_ZERO;
  heed_norm_plan mlp_norm HEED_ZERO;
  heed_mlp_plan mlp HEED_ZERO;
  uint32_t weights_bytes HEED_ZERO;

  HEED_COMPARED(BlockPlan)
};

/* Where a model file has what. */
HEED_STRUCT(heed_model_file_plan, ModelFilePlan) {
  heed_region header HEED_ZERO;
  heed_linear_plan input HEED_ZERO;  /* [input_dim, model_dim] of tokens, [model_dim, input_dim] of frames */
  heed_region class_token HEED_ZERO; /* float [model_dim] */
  heed_region positions HEED_ZERO;   /* float [max_positions, model_dim] */
  heed_norm_plan embedding_norm HEED_ZERO;
  heed_region block_weights HEED_ZERO; /* of the first block; the others follow */
  heed_norm_plan final_norm HEED_ZERO;
  heed_linear_plan head HEED_ZERO; /* of a tied head, the input */
  uint32_t bytes HEED_ZERO;

  HEED_COMPARED(ModelFilePlan)
};

/* Three memories: the state, caches of a decoder's blocks or the one that an encoder's blocks share; the scratch,
 * whose content means nothing between calls; and the model file, which is read where it lies. Use it as make_plan()
 * wrote it: a changed one makes calls write outside of their memory; a debug build traps. */
HEED_STRUCT(heed_model_plan, ModelPlan) {
  heed_model_config config HEED_ZERO; /* with every 0 replaced by what it means */
  heed_block_plan block HEED_ZERO;
  heed_rotary_plan rotary HEED_ZERO; /* without a table */

  heed_region block_state HEED_ZERO; /* of the first block; a decoder's others follow */
  uint32_t state_bytes HEED_ZERO;

  heed_region rows HEED_ZERO;          /* float [rows, model_dim]: what goes through the blocks */
  heed_region block_scratch HEED_ZERO; /* of whichever block runs */
  heed_region staging HEED_ZERO;       /* every worker's dequantized weights of the input and the head */
  uint32_t scratch_bytes HEED_ZERO;

  heed_model_file_plan file HEED_ZERO;

  HEED_COMPARED(ModelPlan)
};

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS, HEED_BAD_OPTION (a member
 * has no such value, does not go with another, or the cache has no such types), HEED_BAD_BASE, HEED_BAD_ROTARY. */
HEED_MUST_USE heed_status heed_plan_model(const heed_model_config* config, const heed_block_memory* memory,
                                          heed_model_plan* plan);

#ifdef __cplusplus
}
#endif
#endif
