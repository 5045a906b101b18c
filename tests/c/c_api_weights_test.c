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

static void run_layer(heed_data_type type, const heed_format* format, float* y) {
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
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, NULL, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(NULL, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, NULL, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens, y, 0, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens + 4, y + 4, 0, NULL) == HEED_OK);
  CHECK(heed_multi_head_bind(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens + 8, y + 8, 0, NULL) == HEED_OK);
  to_read.format = type == HEED_DATA_TYPE_INT8 ? &heed_float16_weights : &heed_int8_weights;
  CHECK(heed_multi_head_bind(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) ==
        HEED_MISSING_FORMAT);
}

/* An object that is bound to what another one has left goes on from there. */
static void test_resumes(void) {
  const heed_multi_head_weights weights = identities();
  const heed_packed_weights to_read = {packed, sizeof packed, NULL};
  heed_multi_head_config config = {0};
  heed_multi_head_plan plan;
  heed_multi_head_attention layer = {0};
  heed_multi_head_attention resumed = {0};
  float y[12] = {0};
  config.model_dim = 4;
  config.heads = 2;
  config.max_keys = 8;
  CHECK(heed_plan_multi_head(&config, &plan) == HEED_OK);
  CHECK(heed_pack_weights(&plan, &weights, packed, sizeof packed) == HEED_OK);
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens, y, 0, NULL) == HEED_OK);
  CHECK(heed_multi_head_bind(NULL, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_bind(&resumed, NULL, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_bind(&resumed, &plan, state, plan.state_bytes - 1, scratch, sizeof scratch, &to_read, NULL) ==
        HEED_ARENA_TOO_SMALL);
  CHECK(heed_multi_head_decode(&resumed, tokens + 4, y + 4, 0, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_multi_head_bind(&resumed, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&resumed, tokens + 4, y + 4, 0, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&layer, tokens + 8, y + 8, 0, NULL) == HEED_OK);
  CHECK(memcmp(y, exact, sizeof y) == 0);
}

static void test_type(heed_data_type type, const heed_format* format) {
  float y[12] = {0};
  run_layer(type, format, y);
  CHECK(memcmp(y, exact, sizeof y) == 0);
}

int main(void) {
  run_layer(HEED_DATA_TYPE_FLOAT32, NULL, exact);
  CHECK(exact[0] == 1 && exact[4] != 0 && exact[4] != 1); /* the second token sees the first */
  test_resumes();
  test_type(HEED_DATA_TYPE_FLOAT16, &heed_float16_weights);
  test_type(HEED_DATA_TYPE_BFLOAT16, &heed_bfloat16_weights);
  return report();
}
