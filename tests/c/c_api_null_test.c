/* SPDX-License-Identifier: MIT
 *
 * Null pointers to plans, weights, inputs and objects: a status, or 0, and nothing is touched. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"

static unsigned char memory[64];

static void test_layers(void) {
  heed_multi_head_plan plan = {0};
  heed_multi_head_attention layer = {0};
  heed_packed_weights weights = {0};
  const heed_multi_head_weights no_weights = {0};
  CHECK(heed_split_packed(NULL, NULL, NULL, NULL, NULL).query == NULL);
  CHECK(heed_pack_weights(NULL, &no_weights, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_pack_weights(&plan, NULL, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, NULL, memory, sizeof memory, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_bind(&layer, NULL, memory, sizeof memory, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_init_split(&layer, NULL, memory, 64, memory, 64, memory, 64) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_bind_split(&layer, NULL, memory, 64, memory, 64, memory, 64) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_bind_packed(&layer, NULL, memory, 64, memory, 64, &weights) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_bind_packed(&layer, &plan, memory, 64, memory, 64, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_length(NULL, 0) == 0 && heed_multi_head_tokens(NULL, 0) == 0);
}

static void test_kv_layers(void) {
  heed_kv_multi_head_plan plan = {0};
  heed_kv_multi_head_attention layer = {0};
  heed_packed_weights weights = {0};
  const heed_multi_head_weights no_weights = {0};
  heed_multi_head_outputs outputs = {0};
  CHECK(heed_kv_split_packed(NULL, NULL, NULL, NULL, NULL).query == NULL);
  CHECK(heed_kv_pack_weights(NULL, &no_weights, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_kv_pack_weights(&plan, NULL, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_kv_pack_rounded_weights(NULL, &no_weights, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_init(&layer, NULL, memory, sizeof memory, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_init_split(&layer, NULL, memory, 64, memory, 64, memory, 64) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_bind_split(&layer, NULL, memory, 64, memory, 64, memory, 64) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_init_packed(&layer, NULL, memory, 64, memory, 64, &weights) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_bind_packed(&layer, NULL, memory, 64, memory, 64, &weights) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_bind_packed(&layer, &plan, memory, 64, memory, 64, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_set_key_scales(NULL, NULL, 0) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_truncate(NULL, 0, 0) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_reset(NULL, 0) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_length(NULL, 0) == 0 && heed_kv_multi_head_tokens(NULL, 0) == 0);
  CHECK(heed_kv_multi_head_append_with_options(&layer, NULL, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_attend_with_options(&layer, NULL, NULL, &outputs, NULL) == HEED_NULL_POINTER);
}

static void test_caches(void) {
  heed_float_kv_cache cache = {0};
  heed_attention_plan plan = {0};
  heed_attention_inputs inputs = {0};
  heed_attention_outputs outputs = {0};
  CHECK(heed_float_kv_cache_init(&cache, NULL, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_float_kv_cache_bind(&cache, NULL, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_float_kv_cache_length(NULL, 0) == 0 && heed_float_kv_cache_tokens(NULL, 0) == 0);
  CHECK(heed_float_kv_cache_position(NULL, 0, 0) == 0);
  CHECK(heed_attend_kv_cache(NULL, memory, 64, &inputs, NULL, NULL, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend_kv_cache(&plan, memory, 64, NULL, NULL, NULL, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend_kv_cache(&plan, memory, 64, &inputs, NULL, NULL, NULL, NULL) == HEED_NULL_POINTER);
}

int main(void) {
  unsigned char before[sizeof memory];
  memset(memory, 0x5A, sizeof memory);
  memcpy(before, memory, sizeof memory);
  test_layers();
  test_kv_layers();
  test_caches();
  CHECK(memcmp(memory, before, sizeof memory) == 0);
  return report();
}
