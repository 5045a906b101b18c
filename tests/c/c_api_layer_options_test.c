/* SPDX-License-Identifier: MIT
 *
 * A layer's calls with options as a C99 program sees them. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"

HEED_ALIGNED static unsigned char state[1 << 12];
HEED_ALIGNED static unsigned char scratch[1 << 17];
HEED_ALIGNED static unsigned char packed[1 << 14];

/* Two heads of two features; the three projections and W_O are the identity, so that a token that sees itself alone
 * comes out as it went in. */
static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const float x[16] = {1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1};
static const double means[4] = {0.5, 0.75, 0.5, 0.5}; /* of the four rows */

static heed_multi_head_attention new_layer(void) {
  heed_multi_head_config config = {0};
  static heed_multi_head_plan plan;
  heed_multi_head_weights weights = {0};
  const heed_packed_weights to_read = {packed, sizeof packed, NULL};
  heed_multi_head_attention layer = {0};
  config.model_dim = 4;
  config.heads = 2;
  config.max_keys = 8;
  config.max_sequences = 1;
  config.workers = 1;
  config.scratch_budget = 4096;
  weights.query = identity;
  weights.key = identity;
  weights.value = identity;
  weights.output = identity;
  CHECK(heed_plan_multi_head(&config, &plan) == HEED_OK);
  CHECK(plan.state_bytes <= sizeof state && plan.scratch_bytes <= sizeof scratch &&
        plan.weights_bytes <= sizeof packed);
  CHECK(heed_pack_weights(&plan, &weights, packed, sizeof packed) == HEED_OK);
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &to_read, NULL) == HEED_OK);
  return layer;
}

static heed_multi_head_inputs all_tokens(void) {
  heed_multi_head_inputs inputs = {0};
  inputs.batch = 1;
  inputs.tokens = 4;
  inputs.input = heed_const_dense(x, 4, 4);
  return inputs;
}

static void test_no_options(void) {
  const heed_multi_head_options none = {0};
  const heed_multi_head_inputs inputs = all_tokens();
  heed_multi_head_attention layer = new_layer();
  float expected[16];
  float y[16];
  heed_multi_head_outputs outputs = {0};
  outputs.output = heed_dense(expected, 4, 4);
  CHECK(heed_multi_head_prefill(&layer, &inputs, &outputs, NULL) == HEED_OK);
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_kv_cache_reset(heed_multi_head_cache(&layer), 0) == HEED_OK);
  CHECK(heed_multi_head_prefill_with_options(&layer, &inputs, &none, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, expected, sizeof y) == 0 && heed_kv_cache_length(heed_multi_head_cache(&layer), 0) == 4);

  outputs.output = heed_dense(expected, 4, 4);
  CHECK(heed_multi_head_encode(&layer, &inputs, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, expected, sizeof y) != 0);
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, NULL, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, expected, sizeof y) == 0);

  memset(y, 0, sizeof y);
  CHECK(heed_kv_cache_reset(heed_multi_head_cache(&layer), 0) == HEED_OK);
  CHECK(heed_multi_head_append_with_options(&layer, &inputs, NULL, NULL) == HEED_OK);
  CHECK(heed_multi_head_attend_with_options(&layer, &inputs, &none, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, expected, sizeof y) == 0);
}

static void test_window(void) {
  const heed_multi_head_inputs inputs = all_tokens();
  heed_multi_head_inputs bottom_right = inputs;
  heed_multi_head_options itself = {0};
  heed_multi_head_attention layer = new_layer();
  float y[16];
  heed_multi_head_outputs outputs = {0};
  itself.attention.left_window = 1;
  itself.attention.right_window = 1;
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_multi_head_prefill_with_options(&layer, &inputs, &itself, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, x, sizeof y) == 0);
  memset(y, 0, sizeof y);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &itself, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, x, sizeof y) == 0);

  /* Behind four more tokens, the last four see themselves. */
  memset(y, 0, sizeof y);
  CHECK(heed_multi_head_append_with_options(&layer, &inputs, &itself, NULL) == HEED_OK);
  CHECK(heed_kv_cache_length(heed_multi_head_cache(&layer), 0) == 8);
  bottom_right.causal = HEED_CAUSAL_BOTTOM_RIGHT;
  CHECK(heed_multi_head_attend_with_options(&layer, &bottom_right, &itself, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, x, sizeof y) == 0);
}

/* So small a cap leaves every token the mean of all. */
static void test_softcap(void) {
  const heed_multi_head_inputs inputs = all_tokens();
  heed_multi_head_options capped = {0};
  heed_multi_head_attention layer = new_layer();
  float y[16];
  heed_multi_head_outputs outputs = {0};
  capped.attention.softcap = 1e-30F;
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &capped, &outputs, NULL) == HEED_OK);
  for (int row = 0; row < 4; ++row) CHECK(close_to(y + 4 * row, means, 4));
}

static void test_statuses(void) {
  const heed_multi_head_inputs inputs = all_tokens();
  heed_multi_head_options options = {0};
  heed_multi_head_attention empty = {0};
  heed_multi_head_attention layer = new_layer();
  float y[16] = {-1};
  heed_multi_head_outputs outputs = {0};
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_multi_head_append_with_options(NULL, &inputs, &options, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_append_with_options(&empty, &inputs, &options, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_multi_head_encode_with_options(&empty, &inputs, &options, &outputs, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_multi_head_attend_with_options(NULL, &inputs, &options, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_prefill_with_options(&layer, NULL, &options, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &options, NULL, NULL) == HEED_NULL_POINTER);
  options.attention.softcap = -1;
  CHECK(heed_multi_head_prefill_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_BAD_OPTION);
  CHECK(heed_kv_cache_length(heed_multi_head_cache(&layer), 0) == 0 && y[0] == -1);
}

/* Rotated by position 0 a layer is as it was, by others it is not; with the positions that the tokens have anyway, or
 * in two calls, the bits are the same. */
static void test_rotary(void) {
  static const uint32_t nowhere[4] = {0, 0, 0, 0};
  static const uint32_t in_order[4] = {0, 1, 2, 3};
  const heed_multi_head_inputs inputs = all_tokens();
  heed_multi_head_inputs part = inputs;
  heed_multi_head_options options = {0};
  heed_rotary_config config = {0};
  heed_rotary rotary = {0};
  heed_multi_head_attention layer = new_layer();
  float plain[16];
  float rotated[16];
  float y[16];
  heed_multi_head_outputs outputs = {0};
  config.head_dim = 2;
  CHECK(heed_plan_rotary(&config, &rotary.plan) == HEED_OK);
  outputs.output = heed_dense(plain, 4, 4);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_OK);
  options.rotary = &rotary;
  options.positions = nowhere;
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, plain, sizeof y) == 0);
  options.positions = in_order;
  outputs.output = heed_dense(rotated, 4, 4);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(rotated, plain, sizeof rotated) != 0);
  options.positions = NULL;
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, rotated, sizeof y) == 0);

  CHECK(heed_kv_cache_reset(heed_multi_head_cache(&layer), 0) == HEED_OK);
  part.tokens = 2;
  CHECK(heed_multi_head_append_with_options(&layer, &part, &options, NULL) == HEED_OK);
  part.input.data += 8;
  CHECK(heed_multi_head_append_with_options(&layer, &part, &options, NULL) == HEED_OK);
  memset(y, 0, sizeof y);
  CHECK(heed_multi_head_attend_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(y, rotated, sizeof y) == 0);
  CHECK(heed_kv_cache_reset(heed_multi_head_cache(&layer), 0) == HEED_OK);
  CHECK(heed_multi_head_attend_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_BAD_LENGTH);
  rotary.plan.config.head_dim = 4;
  CHECK(heed_multi_head_encode_with_options(&layer, &inputs, &options, &outputs, NULL) == HEED_PLAN_MISMATCH);
}

int main(void) {
  test_no_options();
  test_window();
  test_softcap();
  test_rotary();
  test_statuses();
  return report();
}
