/* SPDX-License-Identifier: MIT
 *
 * What a model is, a stack of equal transformer blocks with an input before and a head after them, and what a device
 * gives it; block.hpp and model.hpp say more. A model file has the first, and so does the header that
 * `heed pack --incbin` writes.
 */
#ifndef HEED_HEED_MODEL_CONFIG_H
#define HEED_HEED_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_positions.h"
#include "heed/heed_types.h"

HEED_ENUM(heed_norm, Norm, uint8_t){HEED_VALUE(HEED_LAYER_NORM, layer_norm), HEED_VALUE(HEED_RMS_NORM, rms_norm)};

/* Where a block's norms stand, with f its attention or its MLP. */
HEED_ENUM(heed_norm_placement, NormPlacement, uint8_t){
    HEED_VALUE(HEED_NORM_BEFORE, before), /* x + f(norm(x)): pre-norm (GPT-2, Llama, ViT) */
    HEED_VALUE(HEED_NORM_AFTER, after),   /* norm(x + f(x)): post-norm (arXiv:1706.03762, BERT) */
    HEED_VALUE(HEED_NORM_BOTH, both),     /* x + norm2(f(norm1(x))): a second norm of what is added (Gemma 2) */
    /* x + attention(norm1(x)) + mlp(norm2(x)): both read the same rows (GPT-NeoX, arXiv:2204.06745) */
    HEED_VALUE(HEED_NORM_PARALLEL, parallel)};

/* Each is x times a number from 0 to 1: -inf gives 0, +inf gives +inf, NaN stays NaN, and a zero keeps its sign. The
 * errors are in units in the last place; results between -2^-119 and 0 may be 0 where x is below -1. E is the exponent
 * with which the tail falls as e^-E, and 0 for x > 0. Every error is at most 1.6e-7 |x|. */
HEED_ENUM(heed_activation, Activation, uint8_t){
    /* x / 2 (1 + erf(x / sqrt(2))), arXiv:1606.08415; within 9 + 4.5 E, E = x^2 / 2 */
    HEED_VALUE(HEED_ACTIVATION_GELU_ERF, gelu_erf),
    /* x / 2 (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x^3), the same paper; 5.2 + 2.6 E, E = -2 y */
    HEED_VALUE(HEED_ACTIVATION_GELU_TANH, gelu_tanh),
    /* max(x, 0), exact */
    HEED_VALUE(HEED_ACTIVATION_RELU, relu),
    /* x / (1 + e^-x), also called swish, arXiv:1702.03118; within 3.5 */
    HEED_VALUE(HEED_ACTIVATION_SILU, silu)};

/* Of a self-attention's queries and keys, before they are rotated: the block's kind of norm, over every head of a row
 * (Qwen3, arXiv:2505.09388), with weights [head_dim] that the heads share. */
HEED_ENUM(heed_qk_norm, QkNorm, uint32_t){HEED_VALUE(HEED_QK_NORM_NONE, none), HEED_VALUE(HEED_QK_NORM_HEADS, heads)};

HEED_ENUM(heed_model_input, ModelInput, uint8_t){
    HEED_VALUE(HEED_INPUT_TOKENS, tokens), /* ids below input_dim, each a row of the embedding table */
    HEED_VALUE(HEED_INPUT_FRAMES,
               frames), /* rows of input_dim numbers (spectra, image patches), projected to model_dim */
    /* The same through two convolutions in time, each of three frames with zeros around them and with a GELU (erf), the
     * second of every other frame: rows are half as many, rounded up (Whisper, arXiv:2212.04356). */
    HEED_VALUE(HEED_INPUT_CONVOLUTIONS, convolutions),
    HEED_VALUE(HEED_INPUT_NONE, none)}; /* frames of model_dim numbers, which is input_dim, are the rows */

HEED_ENUM(heed_model_positions, Positions, uint8_t){
    HEED_VALUE(HEED_POSITIONS_LEARNED, learned), /* a table [max_positions, model_dim], added to the rows */
    HEED_VALUE(HEED_POSITIONS_NONE, none),
    HEED_VALUE(HEED_POSITIONS_SINUSOIDAL, sinusoidal), /* sines and cosines, interleaved, of base 10000 */
    HEED_VALUE(HEED_POSITIONS_ROTARY, rotary)          /* queries and keys of every block are rotated */
};

/* Which rows of the last transformer block the head sees. */
HEED_ENUM(heed_pooling, Pooling, uint8_t){
    HEED_VALUE(HEED_POOLING_LAST, last), HEED_VALUE(HEED_POOLING_FIRST, first), HEED_VALUE(HEED_POOLING_MEAN, mean),
    HEED_VALUE(HEED_POOLING_EVERY, every),
    HEED_VALUE(HEED_POOLING_MEAN_OF_REST, mean_of_rest) /* without the class token and the registers */
};

/* What becomes of a pooled row x before the head: nothing, or f(W x + b). */
HEED_ENUM(heed_pooler, Pooler, uint16_t){HEED_VALUE(HEED_POOLER_NONE, none), HEED_VALUE(HEED_POOLER_TANH, tanh),
                                         HEED_VALUE(HEED_POOLER_RELU, relu)};

/* A transformer block: self-attention, cross-attention if cross_dim is not 0, and an MLP, each with a norm and a
 * residual connection. BERT, ViT, GPT-2 and Llama are stacks of such blocks. */
HEED_STRUCT(heed_block_config, BlockConfig) {
  uint32_t model_dim HEED_ZERO;         /* width of the rows, 1..65536 */
  uint32_t heads HEED_ZERO;             /* query heads, 1..65536; 0 means 1 */
  uint32_t kv_heads HEED_ZERO;          /* heads is a multiple of it; 0 means heads */
  uint32_t head_dim HEED_ZERO;          /* 0 means model_dim / heads, without a remainder */
  uint32_t mlp_dim HEED_ZERO;           /* width of the MLP's hidden rows, 1..65536; 0 means 4 * model_dim */
  uint32_t cross_dim HEED_ZERO;         /* width of the rows that cross-attention looks at; 0: no cross-attention */
  float norm_epsilon HEED_ZERO;         /* positive and finite; 0 means 1e-5 */
  heed_data_type weight_type HEED_ZERO; /* of the projections and the MLP */
  /* What rows are rounded to before they are multiplied by weights: float32 leaves them as they are; int8 and int16 are
   * products in integers. Both kinds beside each other take weights of int8. GELU and SiLU are in integers where the
   * rows of down are. */
  heed_data_type row_type HEED_ZERO;        /* of query, key and value */
  heed_data_type output_row_type HEED_ZERO; /* of the attention's output projection */
  heed_data_type mlp_row_type HEED_ZERO;    /* of gate and up */
  heed_data_type down_row_type HEED_ZERO;
  heed_norm norm HEED_ZERO;
  heed_norm_placement norm_placement HEED_ZERO;
  heed_activation activation HEED_ZERO;
  bool gated HEED_ZERO; /* MLP: down(activation(gate(x)) * up(x)), arXiv:2002.05202; else down(activation(up(x))) */
  heed_qk_norm qk_norm HEED_ZERO;
  float score_softcap HEED_ZERO; /* c: scores s become c tanh(s / c) (Gemma 2, arXiv:2408.00118); 0: as they are */

  HEED_COMPARED(BlockConfig)
};

/* What a device gives a block, or each block of a model. */
HEED_STRUCT(heed_block_memory, BlockMemory) {
  uint32_t rows HEED_ZERO;           /* most rows that go through a block at once, 1..2^30: all of an encoder's; 0: 1 */
  uint32_t max_keys HEED_ZERO;       /* tokens that a cache holds, 1..2^30 */
  uint32_t max_cross_keys HEED_ZERO; /* rows that cross-attention looks at, 1..2^30; read with a cross_dim */
  uint32_t sink_tokens HEED_ZERO;    /* as in KvCacheConfig */
  uint32_t workers HEED_ZERO;        /* most tasks handed to the executor at once, 1..64; 0 means 1 */
  uint32_t scratch_budget HEED_ZERO; /* as in MultiHeadConfig, and once for the MLP's hidden rows, or for those of each
                                        worker where `rows` are 16 or more for each; never changes a bit */
  heed_data_type key_type HEED_ZERO; /* as in KvCacheConfig */
  heed_data_type value_type HEED_ZERO;
  heed_data_type cross_type HEED_ZERO; /* keys and values of cross-attention */
  uint32_t ring HEED_ZERO;             /* as in KvCacheConfig */

  HEED_COMPARED(BlockMemory)
};

/* A model. Plain numbers: the same bytes on every machine, and in a model file. */
HEED_STRUCT(heed_model_config, ModelConfig) {
  heed_block_config block HEED_ZERO;
  uint32_t blocks HEED_ZERO;        /* 1..65536 */
  uint32_t input_dim HEED_ZERO;     /* tokens in the vocabulary, or width of a frame; 1..65536 for frames */
  uint32_t max_positions HEED_ZERO; /* positions that the model was trained for, the class token's too; 1..2^30 */
  uint32_t outputs HEED_ZERO;       /* width of the head; 0: no head: the model gives rows of the last block */
  float embedding_scale HEED_ZERO;  /* embeddings and projected frames are multiplied by it; 0 means 1 */
  float rotary_base HEED_ZERO;      /* 0 means 10000 */
  uint32_t rotary_dim HEED_ZERO;    /* as in RotaryConfig */
  heed_rotary_layout rotary_layout HEED_ZERO;
  heed_data_type input_type HEED_ZERO;     /* of the embedding table, or of what frames go through */
  heed_data_type head_type HEED_ZERO;      /* a tied head has input_type */
  heed_data_type input_row_type HEED_ZERO; /* as in BlockConfig, of frames; float32 for tokens */
  heed_data_type head_row_type HEED_ZERO;  /* of the head */
  heed_model_input input HEED_ZERO;
  heed_model_positions positions HEED_ZERO;
  heed_pooling pooling HEED_ZERO;
  bool class_token HEED_ZERO; /* frames: a learned row comes before the first one */
  bool encoder HEED_ZERO;     /* every row sees every other; else a decoder, whose blocks keep their keys and values */
  bool embedding_norm HEED_ZERO;     /* a norm after the positions (BERT) */
  bool without_final_norm HEED_ZERO; /* no norm after the last block */
  bool tied_head HEED_ZERO;          /* the head is the embedding table: logits = rows * table^T; outputs = input_dim */
  /* A decoder's row sees that many of the last keys, its own included; 0: all. Of the blocks, counted from 1, those
   * whose number full_every divides see all (Gemma); 0: none of them does. */
  uint32_t window HEED_ZERO;
  uint32_t full_every HEED_ZERO;
  float local_rotary_base HEED_ZERO; /* of blocks with the window, which are not scaled then; 0: that of the others */
  uint32_t rotary_skip_every HEED_ZERO; /* blocks, counted from 1, whose number it divides are not rotated (NoPE) */
  heed_rotary_scaling rotary_scaling HEED_ZERO; /* these are as in RotaryConfig */
  float rotary_factor HEED_ZERO;
  uint32_t rotary_original_positions HEED_ZERO;
  float rotary_beta_fast HEED_ZERO;
  float rotary_beta_slow HEED_ZERO;
  float rotary_high_factor HEED_ZERO;
  float rotary_low_factor HEED_ZERO;
  float rotary_attention_factor HEED_ZERO;
  /* T5 (arXiv:1910.10683): a table [heads, relative_buckets] of what the distance from query to key adds to a score, in
   * all blocks; distances from relative_distance on share a bucket. 0: none. */
  uint32_t relative_buckets HEED_ZERO;
  uint32_t relative_distance HEED_ZERO;
  uint32_t registers HEED_ZERO;      /* learned rows after the class token (arXiv:2309.16588) */
  uint32_t token_types HEED_ZERO;    /* rows of a table that is added by the type of every token (BERT); 0: none */
  float output_softcap HEED_ZERO;    /* c: logits l become c tanh(l / c); 0: as they are */
  heed_pooler pooler HEED_ZERO;      /* has the types of the head */
  bool norm_after_pooling HEED_ZERO; /* the final norm is that of the pooled row */
  bool unit_output HEED_ZERO;        /* the output is divided by its Euclidean length (sentence embeddings) */
  /* 1 + a token that no text may have: this encoder has no position for it (the padding of RoBERTa). 0: none */
  uint32_t excluded_token HEED_ZERO;

  HEED_COMPARED(ModelConfig)
};

#ifdef __cplusplus
extern "C" {
#endif

/* Reads and checks the header of a model file, its length and its checksum; every byte of the file is read once. Writes
 * the configuration, or, where `field` is not null, what is wrong, in words in static storage; "" is nothing.
 * Statuses: HEED_NULL_POINTER, HEED_ARENA_MISALIGNED (not on a HEED_ARENA_ALIGNMENT boundary), HEED_BAD_FILE, those of
 * heed_plan_model() about the configuration. *config is then left as it was. */
HEED_MUST_USE heed_status heed_read_model(const void* file, size_t file_bytes, heed_model_config* config,
                                          const char** field);

#ifdef __cplusplus
}
#endif
#endif
