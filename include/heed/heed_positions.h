/* SPDX-License-Identifier: MIT
 *
 * Positions added to embeddings, embeddings, and rotary positions on queries and keys; positions.hpp says more.
 */
#ifndef HEED_HEED_POSITIONS_H
#define HEED_HEED_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_cache.h"
#include "heed/heed_types.h"

/* Order of the sines and cosines in an encoding of `dim` columns, with angle_i = position / base^(2 i / dim). */
HEED_ENUM(heed_sinusoid_layout, SinusoidLayout, uint8_t){
    /* column 2i = sin(angle_i), column 2i + 1 = cos(angle_i), arXiv:1706.03762, section 3.5 */
    HEED_VALUE(HEED_SINUSOID_INTERLEAVED, interleaved),
    /* column i = sin(angle_i), column i + ceil(dim / 2) = cos(angle_i) */
    HEED_VALUE(HEED_SINUSOID_HALVES, halves)};

/* Which columns make pair i. */
HEED_ENUM(heed_rotary_layout, RotaryLayout, uint32_t){
    HEED_VALUE(HEED_ROTARY_HALVES, halves), /* i and i + rotary_dim / 2: GPT-NeoX, Llama, Hugging Face's transformers */
    HEED_VALUE(HEED_ROTARY_INTERLEAVED, interleaved) /* 2 i and 2 i + 1: the paper, GPT-J */
};

/* How a model's context was extended beyond that of its original training, as in modeling_rope_utils.py of Hugging
 * Face's transformers, with the same names. With f_i = base^(-2 i / rotary_dim) and factor = scaling_factor: */
HEED_ENUM(heed_rotary_scaling, RotaryScaling, uint32_t){
    HEED_VALUE(HEED_ROTARY_NONE, none),     /* pair i rotates by f_i per position */
    HEED_VALUE(HEED_ROTARY_LINEAR, linear), /* f_i / factor (arXiv:2306.15595) */
    /* base * factor^(d / (d - 2)) in place of base, with d = rotary_dim. "dynamic" there is this with the factor
     * factor * length / original_max_position - (factor - 1). */
    HEED_VALUE(HEED_ROTARY_NTK, ntk),
    /* arXiv:2309.00071: pairs that rotate more than beta_fast times over original_max_position keep f_i, those that
     * rotate fewer than beta_slow times get f_i / factor, with a ramp over whole indices in between. */
    HEED_VALUE(HEED_ROTARY_YARN, yarn),
    /* The same with high_freq_factor and low_freq_factor, and a ramp over the number of rotations. */
    HEED_VALUE(HEED_ROTARY_LLAMA3, llama3)};

/* A member that is 0 has its default: in C a configuration starts as zeros. */
HEED_STRUCT(heed_rotary_config, RotaryConfig) {
  uint32_t head_dim HEED_ZERO;   /* columns of a query and of a key, 1..65536 */
  uint32_t rotary_dim HEED_ZERO; /* columns that are rotated, an even number; the others stay; by default all */
  float base HEED_ZERO;          /* finite and above 1; by default 10000 */
  heed_rotary_layout layout HEED_ZERO;
  heed_rotary_scaling scaling HEED_ZERO;
  float scaling_factor HEED_ZERO;           /* 1 up to 2^32; by default 1 */
  uint32_t original_max_position HEED_ZERO; /* yarn, llama3: positions of the original training, 1..2^30 */
  float beta_fast HEED_ZERO;                /* yarn: below 2^32, at least beta_slow; by default 32 */
  float beta_slow HEED_ZERO;                /* yarn: positive; by default 1 */
  float high_freq_factor HEED_ZERO;         /* llama3: below 2^32, more than low_freq_factor; by default 4 */
  float low_freq_factor HEED_ZERO;          /* llama3: positive; by default 1 */
  float attention_factor HEED_ZERO;         /* scales what is rotated; by default 1, for yarn ln(factor) / 10 + 1 */
  uint32_t max_position HEED_ZERO;          /* rows of a table, up to 2^30; 0: no table */

  HEED_COMPARED(RotaryConfig)
};

/* What follows from a configuration. 32-bit numbers only, as in every plan.
 * Keep the sizes as make_plan() wrote them: with others, calls read and write outside of a table. */
HEED_STRUCT(heed_rotary_plan, RotaryPlan) {
  heed_rotary_config config HEED_ZERO; /* with every 0 replaced by what it means */
  uint32_t ramp_first HEED_ZERO;       /* yarn: pairs up to this one keep their frequency */
  uint32_t ramp_last HEED_ZERO;        /* yarn: pairs from this one on are divided by the factor */
  uint32_t bytes HEED_ZERO;            /* of a table [max_position, rotary_dim] */

  HEED_COMPARED(RotaryPlan)
};

/* A plan and its table, or none: then cosines and sines are computed where they are needed, with the same bits, no
 * memory and more time, at any position below 2^32.
 *
 * Before the attention factor each cosine and sine is nearly always the exact one rounded once, and within 2^-24 of
 * it, at positions below 2^20; within 2^-23 at all others. That needs, with llama3, a high_freq_factor of at
 * least 1.001 times the low one, and for the others of twice the low one. */
HEED_STRUCT(heed_rotary, Rotary) {
  heed_rotary_plan plan HEED_ZERO;
  const float* table HEED_ZERO; /* [max_position, rotary_dim]: the cosines of the pairs, then their sines */
};

/* The tokens that a call rotates, and their positions: positions[b][t], or first_positions[b] + t, or t. */
HEED_STRUCT(heed_rotary_positions, RotaryPositions) {
  uint32_t batch HEED_ZERO;                  /* 1..2^30 */
  uint32_t heads HEED_ZERO;                  /* 1..65536 */
  uint32_t tokens HEED_ZERO;                 /* per batch entry, 1..2^30 */
  const uint32_t* positions HEED_ZERO;       /* [batch, tokens], dense; or null */
  const uint32_t* first_positions HEED_ZERO; /* [batch]; not read with `positions`; null: 0 */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the sines and cosines of (first_position + row) / base^(2 i / dim) to x [1, rows, dim], in place, each within
 * 2^-24 of the exact one. base is finite and above 1, 10000 as a rule.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_BAD_BASE, HEED_BAD_OPTION. */
HEED_MUST_USE heed_status heed_add_sinusoidal_positions(heed_matrix x, uint32_t rows, uint32_t dim,
                                                        uint32_t first_position, heed_sinusoid_layout order,
                                                        float base);

/* Copies table row tokens[t] into row t of x [1, token_count, dim]. table is dense [vocabulary, dim] and holds
 * table_elements floats, a multiple of dim.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_BAD_LENGTH (the table),
 * HEED_BAD_TOKEN. */
HEED_MUST_USE heed_status heed_embedding_lookup(const float* table, size_t table_elements, uint32_t dim,
                                                const uint32_t* tokens, size_t token_count, heed_matrix x);

/* Adds row first_position + r of the table, dense [positions, dim] with table_elements floats, to row r of x [1, rows,
 * dim], in place.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_BAD_LENGTH (the table),
 * HEED_BAD_POSITION. */
HEED_MUST_USE heed_status heed_add_learned_positions(const float* table, size_t table_elements, heed_matrix x,
                                                     uint32_t rows, uint32_t dim, uint32_t first_position);

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_OPTION (no such layout or scaling), HEED_BAD_BASE,
 * HEED_BAD_ROTARY. */
HEED_MUST_USE heed_status heed_plan_rotary(const heed_rotary_config* config, heed_rotary_plan* plan);

/* Fills memory of at least plan->bytes with the plan's table and sets *rotary to both.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION (the plan has no positions), HEED_NULL_POINTER,
 * HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED. */
HEED_MUST_USE heed_status heed_make_rotary_table(const heed_rotary_plan* plan, void* memory, size_t memory_bytes,
                                                 heed_rotary* rotary);

/* Rotates every pair of `from` [batch, heads, tokens, head_dim] and copies the columns after rotary_dim. `to` is the
 * same tensor, or does not overlap it.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE (a count, or a position beyond 2^32 - 1),
 * HEED_NULL_POINTER, HEED_BAD_STRIDE, HEED_BAD_POSITION. */
HEED_MUST_USE heed_status heed_apply_rotary(const heed_rotary* rotary, const heed_rotary_positions* tokens,
                                            heed_const_tensor from, heed_tensor to);

/* heed_kv_cache_append() with rotated keys, which are stored rotated. positions [tokens]; null: each token's number in
 * its sequence.
 * Statuses: those of the append, HEED_PLAN_MISMATCH (the rotary head_dim is not the cache's), HEED_BAD_POSITION,
 * HEED_TOO_LARGE. */
HEED_MUST_USE heed_status heed_kv_cache_append_rotated(heed_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                                       heed_const_tensor key, heed_const_tensor value,
                                                       const heed_rotary* rotary, const uint32_t* positions);

#ifdef __cplusplus
}
#endif
#endif
