/* SPDX-License-Identifier: MIT
 *
 * What a model is, a stack of equal transformer blocks with an input before and a head after them, and what a device
 * gives it; block_plan.hpp and model_plan.hpp say more. A model file has the first, and so does the header that
 * `heed pack --incbin` writes.
 */
#ifndef HEED_HEED_MODEL_CONFIG_H
#define HEED_HEED_MODEL_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_rotary.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t heed_norm;
enum { HEED_LAYER_NORM = 0, HEED_RMS_NORM = 1 };

/* Where a block's norms stand, with f its attention or its MLP. */
typedef uint8_t heed_norm_placement;
enum {
  HEED_NORM_BEFORE = 0, /* x + f(norm(x)): GPT-2, Llama, ViT */
  HEED_NORM_AFTER = 1   /* norm(x + f(x)): BERT */
};

typedef uint8_t heed_activation;
enum {
  HEED_ACTIVATION_RELU = 0,
  HEED_ACTIVATION_GELU_TANH = 1,
  HEED_ACTIVATION_GELU_ERF = 2,
  HEED_ACTIVATION_SILU = 3
};

typedef uint8_t heed_model_input;
enum {
  HEED_INPUT_TOKENS = 0, /* ids below input_dim, each a row of the embedding table */
  HEED_INPUT_FRAMES = 1  /* rows of input_dim numbers, projected to model_dim */
};

typedef uint8_t heed_model_positions;
enum {
  HEED_POSITIONS_NONE = 0,
  HEED_POSITIONS_LEARNED = 1,    /* a table [max_positions, model_dim] */
  HEED_POSITIONS_SINUSOIDAL = 2, /* heed_add_sinusoidal_positions(), HEED_SINUSOID_INTERLEAVED, base 10000 */
  HEED_POSITIONS_ROTARY = 3      /* queries and keys of every block are rotated */
};

/* Which rows of the last block the head sees. */
typedef uint8_t heed_pooling;
enum { HEED_POOLING_LAST = 0, HEED_POOLING_FIRST = 1, HEED_POOLING_MEAN = 2, HEED_POOLING_EVERY = 3 };

/* Self-attention, cross-attention if cross_dim is not 0, and an MLP, each with a norm and a residual connection. */
typedef struct heed_block_config {
  uint32_t model_dim;         /* width of the rows, 1..65536 */
  uint32_t heads;             /* 0 means 1 */
  uint32_t kv_heads;          /* heads is a multiple of it; 0 means heads */
  uint32_t head_dim;          /* 0 means model_dim / heads, without a remainder */
  uint32_t mlp_dim;           /* width of the MLP's hidden rows, 1..65536; 0 means 4 * model_dim */
  uint32_t cross_dim;         /* width of the rows that cross-attention looks at; 0: no cross-attention */
  float norm_epsilon;         /* positive and finite; 0 means 1e-5 */
  heed_data_type weight_type; /* of the projections and the MLP */
  heed_norm norm;
  heed_norm_placement norm_placement;
  heed_activation activation;
  uint8_t gated; /* anything but 0: down(activation(gate(x)) * up(x)) in place of down(activation(up(x))) */
} heed_block_config;

/* Begin with heed_default_model_config(): not all defaults are zeros. */
typedef struct heed_model_config {
  heed_block_config block;
  uint32_t blocks;        /* 1..65536 */
  uint32_t input_dim;     /* tokens in the vocabulary, 1..2^30, or width of a frame, 1..65536 */
  uint32_t max_positions; /* positions that the model was trained for, the class token's too; 1..2^30 */
  uint32_t outputs;       /* width of the head; 0: no head, and the model's output are rows of the last block */
  float embedding_scale;  /* embeddings and projected frames are multiplied by it; 0 means 1 */
  float rotary_base;      /* 0 means 10000 */
  uint32_t rotary_dim;    /* as in heed_rotary_config, with what follows */
  heed_rotary_layout rotary_layout;
  heed_data_type input_type; /* of the embedding table, or of the projection of frames */
  heed_data_type head_type;  /* a tied head has input_type */
  heed_model_input input;
  heed_model_positions positions;
  heed_pooling pooling;
  /* Anything but 0 is true. */
  uint8_t class_token;    /* frames: a learned row comes before the first one */
  uint8_t causal;         /* a decoder, whose blocks keep their keys and values; else an encoder */
  uint8_t embedding_norm; /* a norm after the positions */
  uint8_t final_norm;     /* a norm after the last block */
  uint8_t tied_head;      /* the head is the embedding table; outputs = input_dim */
} heed_model_config;

/* What a device gives each block of a model. Zeros are its defaults. */
typedef struct heed_block_memory {
  uint32_t rows;           /* most rows that go through a block at once, 1..2^30: all of an encoder's; 0 means 1 */
  uint32_t max_keys;       /* tokens that a cache holds, 1..2^30; of an encoder its rows */
  uint32_t max_cross_keys; /* rows that cross-attention looks at, 1..2^30; read with a cross_dim */
  uint32_t sink_tokens;    /* as in heed_kv_cache_config */
  uint32_t workers;        /* most tasks handed to the executor at once, 1..64; 0 means 1 */
  uint32_t scratch_budget; /* as in heed_multi_head_config, and once for the MLP's hidden rows; never changes a bit */
  heed_data_type key_type; /* as in heed_kv_cache_config */
  heed_data_type value_type;
  heed_data_type cross_type; /* keys and values of cross-attention */
  uint32_t ring;             /* as in heed_kv_cache_config */
} heed_block_memory;

/* What a configuration begins with: HEED_ACTIVATION_GELU_ERF, HEED_POSITIONS_LEARNED, causal, final_norm; no dimension
 * is set. */
heed_model_config heed_default_model_config(void);

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
