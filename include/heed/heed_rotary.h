/* SPDX-License-Identifier: MIT
 *
 * Rotary positions on queries and keys; rotary.hpp says more.
 */
#ifndef HEED_HEED_ROTARY_H
#define HEED_HEED_ROTARY_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_kv_cache.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which columns make pair i. */
typedef uint32_t heed_rotary_layout;
enum {
  HEED_ROTARY_HALVES = 0,     /* i and i + rotary_dim / 2: GPT-NeoX, Llama */
  HEED_ROTARY_INTERLEAVED = 1 /* 2 i and 2 i + 1: GPT-J */
};

/* How a model was stretched over more positions than it was trained on first. */
typedef uint32_t heed_rotary_scaling;
enum {
  HEED_ROTARY_NONE = 0,
  HEED_ROTARY_LINEAR = 1, /* every frequency divided by factor */
  HEED_ROTARY_NTK = 2,    /* base * factor^(d / (d - 2)), d = rotary_dim */
  HEED_ROTARY_YARN = 3,
  HEED_ROTARY_LLAMA3 = 4
};

/* Wherever a member is 0, its default holds. */
typedef struct heed_rotary_config {
  uint32_t head_dim;   /* columns of a query and of a key, 1..65536 */
  uint32_t rotary_dim; /* columns that are rotated, an even number; the others stay; by default all */
  float base;          /* finite and above 1; by default 10000 */
  heed_rotary_layout layout;
  heed_rotary_scaling scaling;
  float scaling_factor;           /* 1 up to 2^32; by default 1 */
  uint32_t original_max_position; /* yarn, llama3: positions of the first training, 1..2^30; has no default */
  float beta_fast;                /* yarn: below 2^32, at least beta_slow; by default 32 */
  float beta_slow;                /* yarn: positive; by default 1 */
  float high_freq_factor;         /* llama3: below 2^32, more than low_freq_factor; by default 4 */
  float low_freq_factor;          /* llama3: positive; by default 1 */
  float attention_factor;         /* scales what is rotated; by default 1, for yarn ln(factor) / 10 + 1 */
  uint32_t max_position;          /* rows of a table, up to 2^30; 0: no table */
} heed_rotary_config;

/* Keep the sizes as heed_plan_rotary() wrote them: with others, calls read and write outside of a table. */
typedef struct heed_rotary_plan {
  heed_rotary_config config; /* with every 0 replaced by what it means */
  uint32_t ramp_first, ramp_last;
  uint32_t bytes; /* of a table [max_position, rotary_dim] */
} heed_rotary_plan;

/* A plan and its table. With a null table cosines and sines are computed where they are needed, with the same bits. */
typedef struct heed_rotary {
  heed_rotary_plan plan;
  const float* table; /* [max_position, rotary_dim]: the cosines of the pairs, then their sines; may lie in flash */
} heed_rotary;

/* The tokens that a call rotates, and their positions: positions[b][t], or first_positions[b] + t, or t. */
typedef struct heed_rotary_positions {
  uint32_t batch;                  /* 1..2^30; 0 means 1 */
  uint32_t heads;                  /* 1..65536; 0 means 1 */
  uint32_t tokens;                 /* per batch entry, 1..2^30; 0 means 1 */
  const uint32_t* positions;       /* [batch, tokens], dense; or null */
  const uint32_t* first_positions; /* [batch]; not read with `positions`; null: 0 */
} heed_rotary_positions;

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
