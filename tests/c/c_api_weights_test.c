/* SPDX-License-Identifier: MIT
 *
 * The C interface as a C99 program sees it: layers over weights in few bits. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"

HEED_ALIGNED static unsigned char state[1 << 12];
HEED_ALIGNED static unsigned char scratch[1 << 17];
HEED_ALIGNED static unsigned char packed[1 << 14];

/* A weight of 1 or 0 is the same number in every type: the bits are those of float32 weights. */
static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const float tokens[12] = {1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1};
static float exact[12];

static heed_multi_head_weights identities(void) {
  heed_multi_head_weights weights = {0};
  weights.query = weights.key = weights.value = weights.output = identity;
  return weights;
}

static void run_layer(heed_weight_type type, const heed_weight_format* format, float* y) {
  const heed_multi_head_weights weights = identities();
  heed_packed_weights to_read = {packed, sizeof packed, NULL};
  heed_multi_head_config config = {0};
  heed_multi_head_plan plan;
  heed_multi_head_attention layer = {0};
  config.model_dim = 4;
  config.heads = 2;
  config.max_keys = 8;
  config.weight_type = type;
  to_read.format = format;
  CHECK(heed_plan_multi_head(&config, &plan) == HEED_OK);
  CHECK(plan.state_bytes <= sizeof state && plan.scratch_bytes <= sizeof scratch);
  CHECK(heed_pack_rounded_weights(&plan, &weights, packed, sizeof packed) == HEED_OK);
  CHECK(heed_pack_rounded_weights(NULL, &weights, packed, sizeof packed) == HEED_NULL_POINTER);
  CHECK(heed_pack_rounded_weights(&plan, NULL, packed, sizeof packed) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_init_packed(&layer, &plan, state, sizeof state, scratch, sizeof scratch, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init_packed(NULL, &plan, state, sizeof state, scratch, sizeof scratch, &to_read) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init_packed(&layer, NULL, state, sizeof state, scratch, sizeof scratch, &to_read) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init_packed(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens, y, 0) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens + 4, y + 4, 0) == HEED_OK);
  CHECK(heed_multi_head_bind_packed(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens + 8, y + 8, 0) == HEED_OK);
  to_read.format = type == HEED_WEIGHT_INT8 ? heed_float16_weights() : heed_int8_weights();
  CHECK(heed_multi_head_bind_packed(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read) ==
        HEED_MISSING_FORMAT);
}

static void run_kv_layer(heed_weight_type type, const heed_weight_format* format, float* y) {
  const heed_multi_head_weights weights = identities();
  heed_packed_weights to_read = {packed, sizeof packed, NULL};
  heed_kv_multi_head_config config = {0};
  heed_kv_multi_head_plan plan;
  heed_kv_multi_head_attention layer = {0};
  config.model_dim = 4;
  config.heads = 2;
  config.max_keys = 8;
  config.max_sequences = 1;
  config.workers = 1;
  config.weight_type = type;
  to_read.format = format;
  CHECK(heed_plan_kv_multi_head(&config, &plan) == HEED_OK);
  CHECK(plan.state_bytes <= sizeof state && plan.scratch_bytes <= sizeof scratch);
  CHECK(heed_kv_pack_rounded_weights(&plan, &weights, packed, sizeof packed) == HEED_OK);
  CHECK(heed_kv_pack_rounded_weights(&plan, NULL, packed, sizeof packed) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_init_packed(&layer, &plan, state, sizeof state, scratch, sizeof scratch, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_init_packed(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read) ==
        HEED_OK);
  CHECK(heed_kv_multi_head_decode(&layer, tokens, y, 0, NULL) == HEED_OK);
  CHECK(heed_kv_multi_head_decode(&layer, tokens + 4, y + 4, 0, NULL) == HEED_OK);
  CHECK(heed_kv_multi_head_bind_packed(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read) ==
        HEED_OK);
  CHECK(heed_kv_multi_head_decode(&layer, tokens + 8, y + 8, 0, NULL) == HEED_OK);
}

/* State and scratch in one arena: an object that is bound to what another one has left goes on from there. */
static void test_one_arena(void) {
  HEED_ALIGNED static unsigned char arena[1 << 17];
  const heed_multi_head_weights weights = identities();
  heed_kv_multi_head_config config = {0};
  heed_kv_multi_head_plan plan;
  heed_kv_multi_head_attention layer = {0};
  heed_kv_multi_head_attention resumed = {0};
  float y[12] = {0};
  config.model_dim = 4;
  config.heads = 2;
  config.max_keys = 8;
  CHECK(heed_plan_kv_multi_head(&config, &plan) == HEED_OK && plan.bytes <= sizeof arena);
  CHECK(heed_kv_pack_weights(&plan, &weights, packed, sizeof packed) == HEED_OK);
  CHECK(heed_kv_multi_head_init(&layer, &plan, arena, sizeof arena, packed, sizeof packed) == HEED_OK);
  CHECK(heed_kv_multi_head_decode(&layer, tokens, y, 0, NULL) == HEED_OK);
  CHECK(heed_kv_multi_head_bind(NULL, &plan, arena, sizeof arena, packed, sizeof packed) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_bind(&resumed, NULL, arena, sizeof arena, packed, sizeof packed) == HEED_NULL_POINTER);
  CHECK(heed_kv_multi_head_bind(&resumed, &plan, arena, plan.bytes - 1, packed, sizeof packed) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_kv_multi_head_decode(&resumed, tokens + 4, y + 4, 0, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_kv_multi_head_bind(&resumed, &plan, arena, sizeof arena, packed, sizeof packed) == HEED_OK);
  CHECK(heed_kv_multi_head_decode(&resumed, tokens + 4, y + 4, 0, NULL) == HEED_OK);
  CHECK(heed_kv_multi_head_decode(&layer, tokens + 8, y + 8, 0, NULL) == HEED_OK);
  CHECK(memcmp(y, exact, sizeof y) == 0);
}

static void test_type(heed_weight_type type, const heed_weight_format* format) {
  float y[12] = {0};
  run_layer(type, format, y);
  CHECK(memcmp(y, exact, sizeof y) == 0);
  memset(y, 0, sizeof y);
  run_kv_layer(type, format, y);
  CHECK(memcmp(y, exact, sizeof y) == 0);
}

int main(void) {
  run_layer(HEED_WEIGHT_FLOAT32, NULL, exact);
  CHECK(exact[0] == 1 && exact[4] != 0 && exact[4] != 1); /* the second token sees the first */
  test_one_arena();
  test_type(HEED_WEIGHT_FLOAT32, NULL);
  test_type(HEED_WEIGHT_FLOAT16, heed_float16_weights());
  test_type(HEED_WEIGHT_BFLOAT16, heed_bfloat16_weights());
  return report();
}
