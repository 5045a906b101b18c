/* SPDX-License-Identifier: MIT
 *
 * Memory and plans of the attention in the C tests, and numbers to attend over. */
#ifndef HEED_TESTS_C_ATTENTION_H
#define HEED_TESTS_C_ATTENTION_H

#include "c_check.h"
#include "heed/heed.h"

HEED_ALIGNED static unsigned char arena[1 << 17];

static inline heed_attention_plan attention_plan(uint32_t heads, uint32_t head_dim, uint32_t scratch_budget) {
  heed_attention_config config = {0};
  heed_attention_plan plan = {0};
  config.heads = heads;
  config.head_dim = head_dim;
  config.workers = 1;
  config.scratch_budget = scratch_budget;
  CHECK(heed_plan_attention(&config, &plan) == HEED_OK && plan.bytes <= sizeof arena);
  return plan;
}

/* Numbers of -1..1. */
static inline void fill_randomly(float* values, int count) {
  uint32_t seed = 1;
  for (int k = 0; k < count; ++k) {
    seed = seed * 1664525U + 1013904223U;
    values[k] = (float)(seed >> 16) / 32768.0F - 1.0F;
  }
}

#endif
