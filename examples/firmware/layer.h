/* SPDX-License-Identifier: MIT
 *
 * What the example images agree on: the layer's sizes, its input, and what must come out. */
#ifndef LAYER_H
#define LAYER_H

#include <stdint.h>
#include <string.h>

enum {
  layer_model_dim = 32,
  layer_heads = 4,
  layer_kv_heads = 2,
  layer_head_dim = 8,
  layer_max_keys = 64,
  layer_scratch_budget = 4096,
  layer_tokens = 64
};

/* Of all outputs, on every machine: in float32; with rows, weights and the cache in int8, multiplied as integers; with
 * weights and the cache in 4 bits. */
#define LAYER_HASH UINT64_C(0xCE3EB3CABEA7F7B2)
#define LAYER_HASH_INTEGERS UINT64_C(0x2F1D83E658DB539D)
#define LAYER_HASH_FOUR_BITS UINT64_C(0x7EF18850A305E87C)

/* Whole numbers of 2^-15 in [-1, 1), the same on every machine: in place of a sensor or an embedding. */
static inline void layer_numbers(uint32_t seed, float* values, int count) {
  uint32_t state = seed * 2654435761U + 12345U;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values[i] = (float)((int32_t)(state >> 16) - 32768) * (1.0F / 32768);
  }
}

/* FNV-1a over the bits of one output; begins with LAYER_HASH_BEGIN. */
#define LAYER_HASH_BEGIN UINT64_C(0xCBF29CE484222325)
static inline uint64_t layer_hash(uint64_t hash, const float* values, int count) {
  for (int i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ ((bits >> shift) & 0xFFU)) * UINT64_C(0x100000001B3);
  }
  return hash;
}

#endif
