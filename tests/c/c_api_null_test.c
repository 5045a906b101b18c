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
  const heed_multi_head_inputs inputs = {0};
  heed_multi_head_outputs outputs = {0};
  CHECK(heed_plan_multi_head(NULL, &plan) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_cache(NULL) == NULL);
  CHECK(heed_pack_weights(NULL, &no_weights, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_pack_weights(&plan, NULL, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_pack_rounded_weights(NULL, &no_weights, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_pack_rounded_weights(&plan, NULL, memory, sizeof memory) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, NULL, memory, 64, memory, 64, &weights, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, &plan, memory, 64, memory, 64, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(NULL, &plan, memory, 64, memory, 64, &weights, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, &plan, memory, 64, memory, 64, &weights, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_multi_head_bind(&layer, NULL, memory, 64, memory, 64, &weights, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_bind(&layer, &plan, memory, 64, memory, 64, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_append(&layer, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_append(NULL, &inputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_append(&layer, &inputs, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_multi_head_prefill(&layer, &inputs, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_prefill(NULL, &inputs, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_attend(&layer, &inputs, &outputs, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_multi_head_decode(NULL, NULL, NULL, 0, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_append_with_options(&layer, NULL, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_attend_with_options(&layer, NULL, NULL, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_decode_with_options(NULL, NULL, NULL, 0, NULL, NULL) == HEED_NULL_POINTER);
}

static void test_caches(void) {
  const heed_const_tensor rows = {0};
  const heed_rotary rotary = {0};
  heed_kv_cache_plan plan = {0};
  heed_kv_cache cache = {0};
  CHECK(heed_kv_cache_init(&cache, NULL, memory, sizeof memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_bind(&cache, NULL, memory, sizeof memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_bind(NULL, &plan, memory, sizeof memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_set_key_scales(NULL, NULL, 0) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_append_rotated(NULL, 0, 1, rows, rows, &rotary, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_append_rotated(&cache, 0, 1, rows, rows, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_length(NULL, 0) == 0 && heed_kv_cache_tokens(NULL, 0) == 0);
  CHECK(heed_kv_cache_position(NULL, 0, 0) == 0);
}

static void test_models(void) {
  heed_model model = {0};
  heed_model_plan plan = {0};
  const heed_packed_model nothing = {0};
  const heed_packed_model no_formats = {memory, sizeof memory, NULL, 1, NULL};
  const heed_const_matrix rows = {0};
  float logits[1];
  CHECK(heed_model_init(NULL, &plan, NULL, 0, NULL, 0, &nothing, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_init(&model, NULL, NULL, 0, NULL, 0, &nothing, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_init(&model, &plan, NULL, 0, NULL, 0, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_init(&model, &plan, NULL, 0, NULL, 0, &no_formats, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_bind(NULL, &plan, NULL, 0, NULL, 0, &nothing, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_bind(&model, NULL, NULL, 0, NULL, 0, &nothing, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_bind(&model, &plan, NULL, 0, NULL, 0, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_bind(&model, &plan, NULL, 0, NULL, 0, &no_formats, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_init(&model, &plan, NULL, 0, NULL, 0, &nothing, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_model_decode(&model, 0, logits, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_model_truncate(&model, 0) == HEED_NOT_INITIALISED && heed_model_tokens(&model) == 0);
  CHECK(heed_model_prefill(NULL, NULL, 0, logits, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_decode(NULL, 0, logits, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_encode_tokens(NULL, NULL, 0, logits, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_encode_typed_tokens(NULL, NULL, NULL, 0, logits, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_encode_frames(NULL, rows, 0, logits, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_set_context(NULL, rows, 0, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_truncate(NULL, 0) == HEED_NULL_POINTER && heed_model_tokens(NULL) == 0);
  heed_model_observe(NULL, NULL);
  heed_model_observe(&model, NULL);
}

int main(void) {
  unsigned char before[sizeof memory];
  memset(memory, 0x5A, sizeof memory);
  memcpy(before, memory, sizeof memory);
  test_layers();
  test_caches();
  test_models();
  CHECK(memcmp(memory, before, sizeof memory) == 0);
  return report();
}
