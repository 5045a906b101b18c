/* SPDX-License-Identifier: MIT
 *
 * Linked with --wrap=__aeabi_fmul, as by an SDK that puts its own functions in place of the compiler's: products
 * without subnormal numbers, with which a layer refuses to begin. */
#include "heed/heed.h"

float __real___aeabi_fmul(float a, float b);
float __wrap___aeabi_fmul(float a, float b);
float __wrap___aeabi_fmul(float a, float b) {
  union {
    float number;
    uint32_t bits;
  } product;
  product.number = __real___aeabi_fmul(a, b);
  if ((product.bits & 0x7F800000U) == 0) product.bits &= 0x80000000U;
  return product.number;
}

HEED_ALIGNED static unsigned char arena[1 << 14];
HEED_ALIGNED static unsigned char packed[1 << 14];
static heed_multi_head_plan layer_plan;
static heed_multi_head_attention layer;

int main(void) {
  static const float matrix[64] = {1};
  heed_multi_head_config layer_config = {0};
  heed_multi_head_weights matrices = {0};
  heed_packed_weights in_memory = {0};
  const heed_kv_storage storage = {0};
  layer_config.model_dim = 8;
  layer_config.heads = layer_config.kv_heads = layer_config.max_sequences = layer_config.workers = 1;
  layer_config.head_dim = layer_config.max_keys = 8;
  layer_config.scratch_budget = 4096;
  matrices.query = matrices.key = matrices.value = matrices.output = matrix;
  in_memory.bytes = packed;
  in_memory.size = sizeof packed;
  if (heed_plan_multi_head(&layer_config, &layer_plan) != HEED_OK || layer_plan.bytes > sizeof arena) return 1;
  if (heed_pack_weights(&layer_plan, &matrices, packed, sizeof packed) != HEED_OK) return 2;
  if (heed_multi_head_init(&layer, &layer_plan, arena, layer_plan.state_bytes, arena + layer_plan.state_bytes,
                           layer_plan.scratch_bytes, &in_memory, &storage) != HEED_BAD_FLOAT_ENVIRONMENT)
    return 3;
  return 0;
}
