/* SPDX-License-Identifier: MIT
 *
 * One query over two keys that score the same, so that the output is the mean of the values. */
#include <stdio.h>

#include "heed/heed.h"

HEED_ALIGNED static unsigned char arena[1 << 14];

int main(void) {
  static const float query[] = {1, 0};
  static const float key[] = {3, 1, 3, -1};
  static const float value[] = {1, 10, 2, 20};
  static float output[2];
  heed_attention_config config = {.heads = 1, .head_dim = 2, .max_keys = 2, .workers = 1, .scratch_budget = 1 << 12};
  heed_attention_plan plan;
  heed_attention_inputs inputs = {.batch = 1, .query_count = 1, .key_count = 2};
  heed_attention_outputs outputs = {.output = heed_bhsd(output, 1, 1, 2)};
  heed_status status = heed_plan_attention(&config, &plan);
  inputs.query = heed_const_bhsd(query, 1, 1, 2);
  inputs.key = heed_const_bhsd(key, 1, 2, 2);
  inputs.value = heed_const_bhsd(value, 1, 2, 2);
  if (status == HEED_OK) status = heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL);
  /* In tenths, because not every printf knows floats. */
  printf("%s: %d.%d %d\n", heed_status_to_string(status), (int)output[0], (int)(output[0] * 10) % 10, (int)output[1]);
  return 0;
}
