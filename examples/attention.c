/* SPDX-License-Identifier: MIT
 *
 * Attention alone, in C: one query over two keys, whose values are the keys themselves.
 *
 * Prints 6.9999 7.9999 8.9999 */
#include <stdio.h>

#include "heed/heed.h"

HEED_ALIGNED static unsigned char arena[8 * 1024]; /* the size: `heed plan --head-dim 3 --max-keys 2` */

int main(void) {
  float query[3] = {1, 2, 3}, key[6] = {4, 5, 6, 7, 8, 9}, output[3];
  heed_attention_config config = {.heads = 1, .head_dim = 3, .max_keys = 2, .workers = 1};
  heed_attention_plan plan;
  heed_status status = heed_plan_attention(&config, &plan);
  heed_attention_inputs in = {.batch = 1, .query_count = 1, .key_count = 2, .query = heed_const_bhsd(query, 1, 1, 3)};
  in.key = in.value = heed_const_bhsd(key, 1, 2, 3);
  heed_attention_outputs out = {.output = heed_bhsd(output, 1, 1, 3)};
  if (status == HEED_OK) status = heed_attend(&plan, arena, sizeof arena, &in, &out, NULL);
  if (status == HEED_OK) printf("%.4f %.4f %.4f\n", output[0], output[1], output[2]);
  return status == HEED_OK ? 0 : 1;
}
