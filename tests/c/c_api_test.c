/* SPDX-License-Identifier: MIT
 *
 * The C interface as a C99 program sees it: statuses, attention, the cache, an executor. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"

HEED_ALIGNED static unsigned char arena[1 << 18];
HEED_ALIGNED static unsigned char cache_memory[1 << 14];

static const float query[3] = {1, 2, 3};
static const float keys[6] = {4, 5, 6, 7, 8, 9};
static const double known_output[3] = {6.999908, 7.999908, 8.999908};

/* One query over two keys that are their own values; output [3]. */
static heed_attention_inputs known_inputs(void) {
  heed_attention_inputs inputs = {0};
  inputs.batch = 1;
  inputs.query_count = 1;
  inputs.key_count = 2;
  inputs.query = heed_const_bhsd(query, 1, 1, 3);
  inputs.key = heed_const_bhsd(keys, 1, 2, 3);
  inputs.value = inputs.key;
  return inputs;
}

static heed_attention_plan known_plan(void) {
  heed_attention_config config = {0};
  heed_attention_plan plan = {0};
  config.heads = 1;
  config.head_dim = 3;
  config.max_keys = 8;
  config.workers = 1;
  CHECK(heed_plan_attention(&config, &plan) == HEED_OK);
  CHECK(plan.bytes > 0 && plan.bytes <= sizeof arena);
  CHECK(plan.config.kv_heads == 1 && plan.config.value_dim == 3);
  return plan;
}

static void test_attention(void) {
  const heed_attention_plan plan = known_plan();
  const heed_attention_inputs inputs = known_inputs();
  float output[3];
  float weights[2];
  float log_sum_exp[1];
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(output, 1, 1, 3);
  outputs.scores = heed_bhsd(weights, 1, 1, 2);
  outputs.score_stage = HEED_SCORE_WEIGHTS;
  outputs.log_sum_exp = log_sum_exp;
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_OK);
  CHECK(close_to(output, known_output, 3));
  CHECK(weights[0] + weights[1] > 0.999999F && weights[0] + weights[1] < 1.000001F);
  CHECK(log_sum_exp[0] > 28.8F && log_sum_exp[0] < 29.0F); /* 50 / sqrt(3) and a little */
}

static void test_attention_statuses(void) {
  const heed_attention_plan plan = known_plan();
  heed_attention_inputs inputs = known_inputs();
  heed_attention_config config = plan.config;
  heed_attention_plan unchanged = plan;
  float output[3] = {-1, -1, -1};
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(output, 1, 1, 3);
  CHECK(heed_plan_attention(NULL, &unchanged) == HEED_NULL_POINTER);
  CHECK(heed_plan_attention(&config, NULL) == HEED_NULL_POINTER);
  config.workers = 65;
  CHECK(heed_plan_attention(&config, &unchanged) == HEED_BAD_WORKERS);
  config.kv_heads = 2;
  CHECK(heed_plan_attention(&config, &unchanged) == HEED_HEADS_NOT_DIVISIBLE);
  config.head_dim = 0;
  CHECK(heed_plan_attention(&config, &unchanged) == HEED_ZERO_DIMENSION);
  CHECK(unchanged.bytes == plan.bytes);

  CHECK(heed_attend(NULL, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend(&plan, arena, sizeof arena, NULL, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend(&plan, NULL, sizeof arena, &inputs, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend(&plan, arena, plan.bytes - 1, &inputs, &outputs, NULL) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_attend(&plan, arena + 4, sizeof arena - 4, &inputs, &outputs, NULL) == HEED_ARENA_MISALIGNED);
  inputs.causal = 4;
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_BAD_OPTION);
  inputs = known_inputs();
  inputs.key_count = 9;
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_KEYS_EXCEED_PLAN);
  inputs = known_inputs();
  inputs.query.data = NULL;
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(output[0] == -1 && output[1] == -1 && output[2] == -1);
}

static void test_cache(void) {
  const heed_attention_plan plan = known_plan();
  const heed_const_tensor rows = heed_const_bhsd(keys, 1, 2, 3);
  const heed_const_tensor second = heed_const_bhsd(keys + 3, 1, 1, 3);
  heed_kv_cache_config config = {0};
  heed_kv_cache_plan cache_plan = {0};
  heed_kv_cache cache = {0};
  heed_attention_inputs inputs = known_inputs();
  heed_attention_outputs outputs = {0};
  float expected[3];
  float output[3];
  config.max_sequences = 2;
  config.kv_heads = 1;
  config.head_dim = 3;
  CHECK(heed_plan_kv_cache(&config, &cache_plan) == HEED_ZERO_DIMENSION);
  config.max_keys = 4;
  CHECK(heed_plan_kv_cache(&config, &cache_plan) == HEED_OK);
  CHECK(heed_plan_kv_cache(NULL, &cache_plan) == HEED_NULL_POINTER);
  CHECK(cache_plan.bytes <= sizeof cache_memory);

  CHECK(heed_kv_cache_append(&cache, 0, 2, rows, rows) == HEED_NOT_INITIALISED);
  CHECK(heed_kv_cache_init(&cache, NULL, cache_memory, sizeof cache_memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_init(NULL, &cache_plan, cache_memory, sizeof cache_memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_init(&cache, &cache_plan, cache_memory, cache_plan.bytes - 1, NULL) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_kv_cache_init(&cache, &cache_plan, cache_memory, sizeof cache_memory, NULL) == HEED_OK);
  CHECK(heed_kv_cache_append(NULL, 0, 2, rows, rows) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_append(&cache, 2, 2, rows, rows) == HEED_BAD_SEQUENCE);
  CHECK(heed_kv_cache_append(&cache, 1, 2, rows, rows) == HEED_OK);
  CHECK(heed_kv_cache_append(&cache, 1, 1, second, second) == HEED_OK);
  CHECK(heed_kv_cache_append(&cache, 1, 2, rows, rows) == HEED_CACHE_FULL);
  CHECK(heed_kv_cache_length(&cache, 0) == 0 && heed_kv_cache_length(&cache, 1) == 3);
  CHECK(heed_kv_cache_length(NULL, 1) == 0);
  CHECK(heed_kv_cache_truncate(&cache, 1, 4) == HEED_BAD_LENGTH);
  CHECK(heed_kv_cache_truncate(&cache, 1, 2) == HEED_OK);

  outputs.output = heed_bhsd(expected, 1, 1, 3);
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_OK);
  {
    const uint32_t sequences[1] = {1};
    heed_kv_cache restored = {0};
    CHECK(heed_kv_cache_bind(&restored, &cache_plan, cache_memory, sizeof cache_memory, NULL) == HEED_OK);
    inputs.cache = &restored;
    inputs.sequence_ids = sequences;
    outputs.output = heed_bhsd(output, 1, 1, 3);
    CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_OK);
    CHECK(memcmp(output, expected, sizeof output) == 0);
  }
  CHECK(heed_kv_cache_reset(&cache, 1) == HEED_OK && heed_kv_cache_length(&cache, 1) == 0);
}

typedef struct counter {
  uint32_t calls;
  uint32_t tasks;
} counter;

static void run_backwards(void* context, uint32_t count, void (*task)(void* argument, uint32_t index), void* argument) {
  counter* const counted = context;
  ++counted->calls;
  counted->tasks += count;
  while (count-- > 0) task(argument, count);
}

static void test_executor(void) {
  enum { heads = 4, rows = 150, dim = 8, elements = heads * rows * dim };
  static float values[elements];
  static float alone[elements];
  static float together[elements];
  counter counted = {0, 0};
  heed_executor executor = {0};
  heed_attention_config config = {0};
  heed_attention_plan plan = {0};
  heed_attention_inputs inputs = {0};
  heed_attention_outputs outputs = {0};
  uint32_t seed = 1;
  for (int k = 0; k < elements; ++k) {
    seed = seed * 1664525U + 1013904223U;
    values[k] = (float)(seed >> 16) / 32768.0F - 1.0F;
  }
  executor.context = &counted;
  executor.parallel_for = run_backwards;
  config.heads = heads;
  config.head_dim = dim;
  config.workers = 3;
  config.scratch_budget = 16384;
  CHECK(heed_plan_attention(&config, &plan) == HEED_OK && plan.bytes <= sizeof arena);
  inputs.batch = 1;
  inputs.query_count = rows;
  inputs.key_count = rows;
  inputs.query = heed_const_bhsd(values, heads, rows, dim);
  inputs.key = inputs.query;
  inputs.value = inputs.query;
  inputs.causal = HEED_CAUSAL_BOTTOM_RIGHT;
  outputs.output = heed_bhsd(alone, heads, rows, dim);
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_OK);
  outputs.output = heed_bhsd(together, heads, rows, dim);
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, &executor) == HEED_OK);
  CHECK(counted.calls >= 1 && counted.tasks > counted.calls && counted.tasks <= 3 * counted.calls);
  CHECK(memcmp(alone, together, sizeof alone) == 0);
}

static void test_status_text(void) {
  const char* const unknown = heed_status_to_string((heed_status)(HEED_MISSING_FORMAT + 1));
  CHECK(strcmp(heed_status_to_string(HEED_OK), "ok") == 0);
  for (int status = HEED_OK; status <= HEED_MISSING_FORMAT; ++status) {
    CHECK(strcmp(heed_status_to_string((heed_status)status), unknown) != 0);
  }
}

static void test_region_text(void) {
  heed_attention_config config = {0};
  heed_attention_plan plan;
  heed_region region = {0};
  config.head_dim = 8;
  CHECK(heed_plan_attention(&config, &plan) == HEED_OK);
  CHECK(strcmp(heed_region_to_string(plan.scores), "scores") == 0);
  CHECK(strcmp(heed_region_to_string(plan.queries), heed_region_to_string(plan.keys)) != 0);
  region.name = UINT32_MAX;
  CHECK(strcmp(heed_region_to_string(region), "unknown region") == 0);
}

int main(void) {
  test_attention();
  test_attention_statuses();
  test_cache();
  test_executor();
  test_status_text();
  test_region_text();
  return report();
}
