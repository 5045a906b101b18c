/* SPDX-License-Identifier: MIT
 *
 * The C interface as a C99 program sees it: the multi-head layer, positions, embeddings. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"

HEED_ALIGNED static unsigned char state[1 << 12];
HEED_ALIGNED static unsigned char other_state[1 << 12];
HEED_ALIGNED static unsigned char scratch[1 << 18];
HEED_ALIGNED static unsigned char packed[1 << 14];
static const heed_packed_weights weights_file = {packed, sizeof packed, NULL};

/* Two heads of two features; the three projections and W_O are the identity. */
static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const float x[16] = {1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1};
static const double expected_y[16] = {
    0.6697615493266569, 0.6651192253366716, 0.6697615493266569, 0.3302384506733431,
    0.4274375408285664, 0.8588436887571503, 0.6697615493266569, 0.3302384506733431,
    0.6022366220144203, 0.8011183110072102, 0.3302384506733431, 0.6697615493266569,
    0.4274375408285664, 0.8588436887571503, 0.3302384506733431, 0.6697615493266569,
};

static heed_multi_head_plan layer_plan(void) {
  heed_multi_head_config config = {0};
  heed_multi_head_plan plan = {0};
  float input_weight[48];
  heed_multi_head_weights weights;
  config.model_dim = 4;
  config.heads = 2;
  config.max_keys = 8;
  config.max_sequences = 1;
  config.workers = 1;
  CHECK(heed_plan_multi_head(&config, &plan) == HEED_OK);
  CHECK(plan.state_bytes <= sizeof state && plan.scratch_bytes <= sizeof scratch &&
        plan.weights_bytes <= sizeof packed);
  for (int k = 0; k < 48; ++k) input_weight[k] = identity[k % 16];
  CHECK(heed_split_packed(&plan, input_weight, NULL, identity, NULL, &weights) == HEED_OK);
  CHECK(weights.query == input_weight && weights.key == input_weight + 16 && weights.value == input_weight + 32);
  CHECK(weights.output == identity && weights.key_bias == NULL);
  CHECK(heed_pack_weights(&plan, &weights, packed, sizeof packed) == HEED_OK);
  CHECK(heed_pack_weights(&plan, &weights, packed, plan.weights_bytes - 1) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_pack_weights(&plan, NULL, packed, sizeof packed) == HEED_NULL_POINTER);
  CHECK(heed_split_packed(NULL, input_weight, NULL, identity, NULL, &weights) == HEED_NULL_POINTER);
  CHECK(heed_split_packed(&plan, input_weight, NULL, identity, NULL, NULL) == HEED_NULL_POINTER);
  return plan;
}

static void test_layer(void) {
  HEED_ALIGNED static const unsigned char zeros[sizeof packed];
  const heed_packed_weights no_weights = {zeros, sizeof zeros, NULL};
  static heed_multi_head_attention layer;
  const heed_multi_head_plan plan = layer_plan();
  float y[16];
  heed_multi_head_inputs inputs = {0};
  heed_multi_head_outputs outputs = {0};
  inputs.batch = 1;
  inputs.tokens = 4;
  inputs.input = heed_const_dense(x, 4, 4);
  outputs.output = heed_dense(y, 4, 4);
  CHECK(heed_multi_head_encode(&layer, &inputs, &outputs, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_multi_head_init(&layer, NULL, state, sizeof state, scratch, sizeof scratch, &weights_file, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(NULL, &plan, state, sizeof state, scratch, sizeof scratch, &weights_file, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, &plan, state, plan.state_bytes - 1, scratch, sizeof scratch, &weights_file,
                             NULL) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, plan.scratch_bytes - 1, &weights_file,
                             NULL) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &no_weights, NULL) ==
        HEED_WRONG_WEIGHTS);
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, NULL, NULL) ==
        HEED_NULL_POINTER);
  CHECK(heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &weights_file, NULL) ==
        HEED_OK);
  CHECK(heed_multi_head_encode(&layer, &inputs, &outputs, NULL) == HEED_OK);
  CHECK(close_to(y, expected_y, 16));
  CHECK(heed_kv_cache_length(heed_multi_head_cache(&layer), 0) == 4 && heed_kv_cache_length(NULL, 0) == 0);

  memset(y, 0, sizeof y);
  CHECK(heed_kv_cache_reset(heed_multi_head_cache(&layer), 0) == HEED_OK &&
        heed_kv_cache_length(heed_multi_head_cache(&layer), 0) == 0);
  CHECK(heed_multi_head_append(&layer, &inputs, NULL) == HEED_OK);
  CHECK(heed_multi_head_attend(&layer, &inputs, &outputs, NULL) == HEED_OK);
  CHECK(close_to(y, expected_y, 16));
  CHECK(heed_multi_head_attend(NULL, &inputs, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_attend(&layer, NULL, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_attend(&layer, &inputs, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_truncate(heed_multi_head_cache(&layer), 0, 5) == HEED_BAD_LENGTH);
}

static void test_decode(void) {
  const heed_multi_head_plan plan = layer_plan();
  heed_multi_head_attention at_once = {0};
  heed_multi_head_attention by_token = {0};
  float prefilled[16];
  float decoded[16];
  heed_multi_head_inputs inputs = {0};
  heed_multi_head_outputs outputs = {0};
  CHECK(heed_multi_head_init(&at_once, &plan, state, sizeof state, scratch, sizeof scratch, &weights_file, NULL) ==
        HEED_OK);
  CHECK(heed_multi_head_init(&by_token, &plan, other_state, sizeof other_state, scratch, sizeof scratch, &weights_file,
                             NULL) == HEED_OK);
  inputs.batch = 1;
  inputs.tokens = 4;
  inputs.input = heed_const_dense(x, 4, 4);
  outputs.output = heed_dense(prefilled, 4, 4);
  CHECK(heed_multi_head_prefill(&at_once, &inputs, &outputs, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&by_token, x, decoded, 0, NULL) == HEED_OK);
  CHECK(heed_multi_head_decode(&by_token, x + 4, decoded + 4, 0, NULL) == HEED_OK);
  {
    heed_multi_head_attention resumed = {0}; /* the state is in the arena */
    CHECK(heed_multi_head_bind(&resumed, &plan, other_state, sizeof other_state, scratch, sizeof scratch, &weights_file,
                               NULL) == HEED_OK);
    CHECK(heed_multi_head_decode(&resumed, x + 8, decoded + 8, 0, NULL) == HEED_OK);
  }
  CHECK(heed_multi_head_decode(&by_token, x + 12, decoded + 12, 0, NULL) == HEED_OK);
  CHECK(memcmp(prefilled, decoded, sizeof decoded) == 0);
  CHECK(heed_multi_head_decode(&by_token, x, decoded, 1, NULL) == HEED_BAD_SEQUENCE);
  CHECK(heed_multi_head_decode(&by_token, NULL, decoded, 0, NULL) == HEED_NULL_POINTER);
  CHECK(heed_multi_head_decode(NULL, x, decoded, 0, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_truncate(heed_multi_head_cache(&by_token), 0, 3) == HEED_OK);
  CHECK(heed_multi_head_decode(&by_token, x + 12, decoded, 0, NULL) == HEED_OK);
  CHECK(memcmp(prefilled + 12, decoded, 4 * sizeof(float)) == 0);
}

static void test_positions_and_embeddings(void) {
  static const double positions[8] = {0.0, 1.0, 0.0, 1.0, 0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004};
  static const float table[6] = {0, 1, 2, 3, 4, 5};
  static const uint32_t tokens[2] = {2, 0};
  static const uint32_t outside[2] = {2, 3};
  float rows[8] = {0};
  CHECK(heed_add_sinusoidal_positions(heed_dense(rows, 2, 4), 2, 4, 0, HEED_SINUSOID_INTERLEAVED, 10000) == HEED_OK);
  CHECK(close_to(rows, positions, 8));
  CHECK(heed_add_sinusoidal_positions(heed_dense(rows, 2, 4), 2, 4, 0, 2, 10000) == HEED_BAD_OPTION);
  CHECK(heed_add_sinusoidal_positions(heed_dense(rows, 2, 4), 2, 4, 0, HEED_SINUSOID_HALVES, 1) == HEED_BAD_BASE);
  CHECK(heed_embedding_lookup(table, 6, 2, tokens, 2, heed_dense(rows, 2, 2)) == HEED_OK);
  CHECK(rows[0] == 4 && rows[1] == 5 && rows[2] == 0 && rows[3] == 1);
  CHECK(heed_embedding_lookup(table, 6, 2, outside, 2, heed_dense(rows, 2, 2)) == HEED_BAD_TOKEN);
  CHECK(heed_embedding_lookup(table, 5, 2, tokens, 2, heed_dense(rows, 2, 2)) == HEED_BAD_LENGTH);
  CHECK(heed_embedding_lookup(NULL, 6, 2, tokens, 2, heed_dense(rows, 2, 2)) == HEED_NULL_POINTER);
}

int main(void) {
  test_layer();
  test_decode();
  test_positions_and_embeddings();
  return report();
}
