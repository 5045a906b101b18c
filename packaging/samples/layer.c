/* SPDX-License-Identifier: MIT
 *
 * The program of every SDK's sample: one multi-head layer in three arithmetics, each over the same 16 tokens, and
 * whether what comes out has the bits that every other machine gives. */
#include "layer.h"

#include <stdio.h>
#include <string.h>

#include "heed/heed.h"

enum { model_dim = 8, tokens = 16 };

HEED_ALIGNED static unsigned char arena[3264];   /* state, then scratch */
HEED_ALIGNED static unsigned char packed[2880];  /* a program of yours has them in flash, from `heed pack --c-array` */
static float weights[2 * model_dim * model_dim]; /* serves as each matrix */
static heed_multi_head_plan plan;                /* the layer points to it */
static heed_multi_head_attention layer;

/* Whole numbers of 2^-15 in [-1, 1): in place of a trained layer and of a sensor. */
static void make_numbers(uint32_t seed, float* numbers, int count) {
  uint32_t state = seed * 2654435761U + 12345U;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    numbers[i] = (float)((int32_t)(state >> 16) - 32768) * (1.0F / 32768);
  }
}

/* FNV-1a over the bits of all outputs. */
static uint64_t add_to_hash(uint64_t hash, const float* numbers, int count) {
  for (int i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ ((bits >> shift) & 0xFFU)) * UINT64_C(0x100000001B3);
  }
  return hash;
}

static heed_status start(heed_data_type weight_type, heed_data_type row_type, heed_data_type cache_type,
                         const heed_format* weight_format, const heed_format* cache_format) {
  const heed_multi_head_weights matrices = {.query = weights, .key = weights, .value = weights, .output = weights};
  const heed_packed_weights in_memory = {packed, sizeof packed, weight_format};
  const heed_kv_storage storage = {.formats = {cache_format}};
  heed_multi_head_config config = {
      .model_dim = model_dim, .heads = 2, .kv_heads = 1, .head_dim = 8, .max_keys = tokens};
  heed_status status;
  config.max_sequences = 1;
  config.workers = 1;
  config.scratch_budget = 1024;
  config.weight_type = weight_type;
  config.row_type = config.output_row_type = row_type;
  config.key_type = config.value_type = cache_type;
  status = heed_plan_multi_head(&config, &plan);
  if (status == HEED_OK && plan.bytes > sizeof arena) status = HEED_ARENA_TOO_SMALL;
  if (status == HEED_OK) status = heed_pack_rounded_weights(&plan, &matrices, packed, sizeof packed);
  if (status != HEED_OK) return status;
  return heed_multi_head_init(&layer, &plan, arena, plan.state_bytes, arena + plan.state_bytes, plan.scratch_bytes,
                              &in_memory, &storage);
}

/* Whether all went well, and the bits are those of every machine. */
static int run(const char* name, heed_status status, uint64_t expected) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (uint32_t token = 0; status == HEED_OK && token < tokens; ++token) {
    float x[model_dim];
    float y[model_dim];
    make_numbers(100 + token, x, model_dim);
    status = heed_multi_head_decode(&layer, x, y, 0, NULL);
    hash = add_to_hash(hash, y, model_dim);
  }
  if (status != HEED_OK) {
    printf("%s: %s\n", name, heed_status_to_string(status));
    return 0;
  }
  printf("%s: %08lx%08lx%s\n", name, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xFFFFFFFFU),
         hash == expected ? "" : ", which is WRONG");
  return hash == expected;
}

int run_layer(void) {
  int right;
  make_numbers(1, weights, 2 * model_dim * model_dim);
  right = run("float32", start(HEED_DATA_TYPE_FLOAT32, HEED_DATA_TYPE_FLOAT32, HEED_DATA_TYPE_FLOAT32, NULL, NULL),
              UINT64_C(0x521FCDCF00D8799D));
  right &= run("integers",
               start(HEED_DATA_TYPE_INT8, HEED_DATA_TYPE_INT8, HEED_DATA_TYPE_INT8_INTEGER, &heed_int8_integer_weights,
                     &heed_int8_integer_cache),
               UINT64_C(0x69933A171BDCF4BE));
  right &= run("4 bits",
               start(HEED_DATA_TYPE_INT4_GROUPS, HEED_DATA_TYPE_FLOAT32, HEED_DATA_TYPE_INT4, &heed_int4_group_weights,
                     &heed_int4_cache),
               UINT64_C(0xDF1A939A8DFDA80C));
  printf("heed %s: %s\n", heed_version(), right ? "the bits of every machine" : "WRONG");
  return right ? 0 : 1;
}
