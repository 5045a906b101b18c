/* SPDX-License-Identifier: MIT
 *
 * The layer of layer.cpp in C: the same calls, the same bits. */
#include "layer.h"

#include <board.h>
#include <packed_weights.h>

#include "heed/heed.h"

HEED_ALIGNED static unsigned char arena[layer_arena_bytes]; /* state, then scratch */
static heed_multi_head_plan plan;                           /* the layer points to it */
static heed_multi_head_attention layer;

static heed_multi_head_config layer_config(void) {
  heed_multi_head_config config = {0};
  config.model_dim = layer_model_dim;
  config.heads = layer_heads;
  config.kv_heads = layer_kv_heads;
  config.head_dim = layer_head_dim;
  config.max_keys = layer_max_keys;
  config.max_sequences = 1;
  config.workers = 1;
  config.scratch_budget = layer_scratch_budget;
  return config;
}

static heed_status start_layer(const heed_multi_head_config* config, const heed_packed_weights* weights,
                               const heed_format* cache) {
  heed_kv_storage storage = {{NULL, NULL, NULL}, NULL, NULL};
  heed_status status = heed_plan_multi_head(config, &plan);
  storage.formats[0] = cache;
  if (status != HEED_OK) return status;
  if (plan.bytes > sizeof arena) return HEED_ARENA_TOO_SMALL;
  return heed_multi_head_init(&layer, &plan, arena, plan.state_bytes, arena + plan.state_bytes, plan.scratch_bytes,
                              weights, &storage);
}

/* Whether all outputs have the expected hash. */
static int run(const char* arithmetic, const heed_multi_head_config* config, const heed_packed_weights* weights,
               const heed_format* cache, uint64_t expected) {
  heed_status status = start_layer(config, weights, cache);
  uint64_t hash = LAYER_HASH_BEGIN;
  uint64_t count = 0;
  for (uint32_t token = 0; status == HEED_OK && token < layer_tokens; ++token) {
    float x[layer_model_dim];
    float y[layer_model_dim];
    uint64_t start;
    layer_numbers(100 + token, x, layer_model_dim);
    start = board_count();
    status = heed_multi_head_decode(&layer, x, y, 0, NULL);
    count += board_count() - start;
    hash = layer_hash(hash, y, layer_model_dim);
  }

  board_print(arithmetic);
  board_print(": ");
  board_print(heed_status_to_string(status));
  board_print("; hash ");
  board_print_hexadecimal(hash);
  board_print("; instructions for all tokens ");
  board_print_number(count);
  board_print("\n");
  return status == HEED_OK && hash == expected;
}

int main(void) {
  const heed_packed_weights weights = {layer_weights, sizeof layer_weights, NULL};
  const heed_packed_weights integers = {layer_weights_int8, sizeof layer_weights_int8, &heed_int8_integer_weights};
  const heed_packed_weights four_bits = {layer_weights_int4, sizeof layer_weights_int4, &heed_int4_group_weights};
  heed_multi_head_config config = layer_config();
  int right;
  if (!heed_float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  right = run("float32", &config, &weights, NULL, LAYER_HASH);
  config.weight_type = config.row_type = config.output_row_type = HEED_DATA_TYPE_INT8;
  config.key_type = config.value_type = HEED_DATA_TYPE_INT8_INTEGER;
  right = run("integers", &config, &integers, &heed_int8_integer_cache, LAYER_HASH_INTEGERS) && right;
  config = layer_config();
  config.weight_type = HEED_DATA_TYPE_INT4_GROUPS;
  config.key_type = config.value_type = HEED_DATA_TYPE_INT4;
  right = run("4 bits", &config, &four_bits, &heed_int4_cache, LAYER_HASH_FOUR_BITS) && right;
  board_print("bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return right ? 0 : 1;
}
