/* SPDX-License-Identifier: MIT
 *
 * A KvCache in the C tests, and attention over it beside attention over the floats that were appended. */
#ifndef HEED_TESTS_C_KV_CACHE_H
#define HEED_TESTS_C_KV_CACHE_H

#include "c_attention.h"

enum { heads = 2, tokens = 19, dim = 5, count = heads * tokens * dim };

HEED_ALIGNED static unsigned char memory[1 << 15];
static float whole_numbers[count];
static float by_floats[heads * dim];

/* -peak..peak, so that a scale of 1 is the least for every token. */
static inline heed_const_tensor fill(int peak) {
  uint32_t seed = 1;
  for (int k = 0; k < count; ++k) {
    seed = seed * 1664525U + 1013904223U;
    whole_numbers[k] = (float)((int)(seed >> 16) % (2 * peak + 1) - peak);
    if (k % dim == 0) whole_numbers[k] = (float)peak;
  }
  return heed_const_bhsd(whole_numbers, heads, tokens, dim);
}

static inline heed_kv_cache_config config_of(heed_data_type storage) {
  heed_kv_cache_config config = {0};
  config.max_sequences = 2;
  config.kv_heads = heads;
  config.head_dim = dim;
  config.max_keys = 32;
  config.key_type = storage;
  config.value_type = storage;
  return config;
}

/* What a type needs, a ring for any attention, and pages. */
static inline heed_kv_storage storage_of(heed_data_type type) {
  heed_kv_storage storage = {{NULL, NULL, NULL}, &heed_kv_ring_with_positions, &heed_kv_pages};
  switch (type) {
    case HEED_DATA_TYPE_FLOAT16: storage.formats[0] = &heed_float16_cache; break;
    case HEED_DATA_TYPE_BFLOAT16: storage.formats[0] = &heed_bfloat16_cache; break;
    case HEED_DATA_TYPE_INT8: storage.formats[0] = &heed_int8_cache; break;
    case HEED_DATA_TYPE_INT4: storage.formats[0] = &heed_int4_cache; break;
    default: break;
  }
  storage.formats[1] = &heed_int8_channel_keys;
  return storage;
}

static heed_kv_cache_plan plan; /* of the newest cache */

static inline heed_kv_cache new_cache(const heed_kv_cache_config* config) {
  const heed_kv_storage storage = storage_of(config->value_type);
  heed_kv_cache cache = {0};
  CHECK(heed_plan_kv_cache(config, &plan) == HEED_OK && plan.bytes <= sizeof memory);
  CHECK(heed_kv_cache_init(&cache, &plan, memory, sizeof memory, &storage) == HEED_OK);
  return cache;
}

/* One query, the first token's key, over what `stored` has. */
static inline heed_attention_inputs one_query(void) {
  heed_attention_inputs inputs = {0};
  inputs.batch = 1;
  inputs.query_count = 1;
  inputs.query = heed_const_bhsd(whole_numbers, heads, tokens, dim);
  inputs.scale = 0.01F;
  return inputs;
}

static inline void attend_to_floats(heed_const_tensor rows, const heed_attention_options* options) {
  const heed_attention_plan attention = attention_plan(heads, dim, 8192);
  heed_attention_inputs inputs = one_query();
  heed_attention_outputs outputs = {0};
  inputs.key_count = tokens;
  inputs.key = rows;
  inputs.value = rows;
  outputs.output = heed_bhsd(by_floats, heads, 1, dim);
  CHECK(heed_attend_with_options(&attention, arena, sizeof arena, &inputs, options, &outputs, NULL) == HEED_OK);
}

static inline heed_status attend_to(const heed_attention_inputs* inputs, const heed_attention_options* options,
                                    float* output) {
  const heed_attention_plan attention = attention_plan(heads, dim, 8192);
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(output, heads, 1, dim);
  return heed_attend_with_options(&attention, arena, sizeof arena, inputs, options, &outputs, NULL);
}

#endif
