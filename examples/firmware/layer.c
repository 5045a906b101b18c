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

static heed_status start_layer(void) {
  heed_multi_head_config config = {0};
  const heed_packed_weights weights = {layer_weights, sizeof layer_weights, NULL};
  heed_status status;
  config.model_dim = layer_model_dim;
  config.heads = layer_heads;
  config.kv_heads = layer_kv_heads;
  config.head_dim = layer_head_dim;
  config.max_keys = layer_max_keys;
  config.max_sequences = 1;
  config.workers = 1;
  config.scratch_budget = layer_scratch_budget;
  status = heed_plan_multi_head(&config, &plan);
  if (status != HEED_OK) return status;
  if (plan.bytes > sizeof arena) return HEED_ARENA_TOO_SMALL;
  return heed_multi_head_init(&layer, &plan, arena, plan.state_bytes, arena + plan.state_bytes, plan.scratch_bytes,
                              &weights, NULL);
}

int main(void) {
  heed_status status = start_layer();
  uint64_t hash = LAYER_HASH_BEGIN;
  uint64_t count = 0;
  if (!heed_float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
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

  board_print(heed_status_to_string(status));
  board_print("; hash ");
  board_print_hexadecimal(hash);
  board_print("; instructions for all tokens ");
  board_print_number(count);
  board_print("; bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return status == HEED_OK && hash == LAYER_HASH ? 0 : 1;
}
