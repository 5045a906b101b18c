/* SPDX-License-Identifier: MIT
 *
 * heed.h in C, or in a C++ that is too old for the rest. */
#include "heed/heed.h"

#if defined(CONSUMER_HAS_ASSERTS) && defined(NDEBUG)
#error "heed has switched this project's assertions off"
#endif

HEED_ALIGNED static unsigned char arena[1 << 14];
static heed_attention_config config;
static heed_attention_plan plan;
static heed_attention_inputs inputs;
static heed_attention_outputs outputs;

/* Both keys score the same, so the output is the mean of the values. */
int main(void) {
  static const float query[] = {1, 0};
  static const float key[] = {3, 1, 3, -1};
  static const float value[] = {1, 10, 2, 20};
  static float output[2];
  config.heads = 1;
  config.head_dim = 2;
  config.max_keys = 2;
  config.workers = 1;
  config.scratch_budget = 1 << 12;
  if (heed_plan_attention(&config, &plan) != HEED_OK) return 1;
  inputs.batch = 1;
  inputs.query_count = 1;
  inputs.key_count = 2;
  inputs.query = heed_const_bhsd(query, 1, 1, 2);
  inputs.key = heed_const_bhsd(key, 1, 2, 2);
  inputs.value = heed_const_bhsd(value, 1, 2, 2);
  outputs.output = heed_bhsd(output, 1, 1, 2);
  if (heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) != HEED_OK) return 2;
  return output[0] == 1.5F && output[1] == 15.0F ? 0 : 3;
}
