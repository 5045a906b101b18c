/* SPDX-License-Identifier: MIT
 *
 * Stored caches, and attention over them, as a C99 program sees them. */
#include <string.h>

#include "c_kv_cache.h"

static void test_storages(void) {
  static const int32_t newest = tokens - 1;
  static const uint32_t sequence = 1;
  heed_attention_options options = {0};
  options.causal_offsets = &newest;
  options.left_window = 11;
  static const heed_data_type types[] = {HEED_DATA_TYPE_FLOAT32, HEED_DATA_TYPE_FLOAT16, HEED_DATA_TYPE_BFLOAT16,
                                         HEED_DATA_TYPE_INT8, HEED_DATA_TYPE_INT4};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    const heed_data_type storage = types[i];
    const heed_const_tensor rows = fill(storage == HEED_DATA_TYPE_INT8 ? 127 : 7);
    const heed_kv_cache_config config = config_of(storage);
    heed_kv_cache cache = new_cache(&config);
    heed_attention_inputs inputs = one_query();
    float output[heads * dim];
    CHECK(heed_kv_cache_append(&cache, 1, tokens, rows, rows) == HEED_OK);
    CHECK(heed_kv_cache_length(&cache, 0) == 0 && heed_kv_cache_length(&cache, 1) == tokens);
    inputs.cache = &cache;
    inputs.sequence_ids = &sequence;
    attend_to_floats(rows, NULL);
    CHECK(attend_to(&inputs, NULL, output) == HEED_OK);
    CHECK(memcmp(output, by_floats, sizeof output) == 0);
    attend_to_floats(rows, &options);
    CHECK(memcmp(output, by_floats, sizeof output) != 0);
    CHECK(attend_to(&inputs, &options, output) == HEED_OK);
    CHECK(memcmp(output, by_floats, sizeof output) == 0);
  }
}

static void test_pages(void) {
  static const uint32_t pages[2] = {1, 0};
  static const uint32_t length = tokens;
  const heed_const_tensor rows = fill(7);
  heed_const_tensor rest = rows;
  heed_kv_cache_config config = config_of(HEED_DATA_TYPE_INT4);
  heed_attention_inputs inputs = one_query();
  heed_kv_cache cache;
  float output[heads * dim];
  config.max_keys = 16;
  cache = new_cache(&config);
  rest.data += 16 * dim;
  CHECK(heed_kv_cache_append(&cache, 1, 16, rows, rows) == HEED_OK);
  CHECK(heed_kv_cache_append(&cache, 0, tokens - 16, rest, rest) == HEED_OK);
  inputs.cache = &cache;
  inputs.page_table = pages;
  inputs.max_pages = 2;
  CHECK(attend_to(&inputs, NULL, output) == HEED_NULL_POINTER);
  inputs.key_lengths = &length;
  attend_to_floats(rows, NULL);
  CHECK(attend_to(&inputs, NULL, output) == HEED_OK);
  CHECK(memcmp(output, by_floats, sizeof output) == 0);
}

static void test_ring(void) {
  static const uint32_t positions[4] = {0, 4, 5, 3};
  const heed_const_tensor rows = fill(7);
  heed_kv_cache_config config = config_of(HEED_DATA_TYPE_BFLOAT16);
  heed_attention_inputs inputs = one_query();
  heed_attention_options options = {0};
  heed_const_tensor newest = rows;
  heed_kv_cache cache;
  float output[heads * dim], last_two[heads * dim];
  config.max_keys = 4;
  config.ring = 2; /* anything but 0 */
  config.sink_tokens = 1;
  cache = new_cache(&config);
  CHECK(plan.config.ring == 1);
  CHECK(heed_kv_cache_append(&cache, 0, 6, rows, rows) == HEED_OK);
  CHECK(heed_kv_cache_length(&cache, 0) == 4 && heed_kv_cache_tokens(&cache, 0) == 6);
  for (uint32_t slot = 0; slot < 4; ++slot) CHECK(heed_kv_cache_position(&cache, 0, slot) == positions[slot]);
  CHECK(heed_kv_cache_position(&cache, 0, 4) == 0 && heed_kv_cache_position(NULL, 0, 1) == 0);
  CHECK(heed_kv_cache_position(&cache, 2, 1) == 0);
  inputs.cache = &cache;
  CHECK(attend_to(&inputs, NULL, output) == HEED_OK);
  options.left_window = 2;
  inputs.causal = HEED_CAUSAL_BOTTOM_RIGHT;
  CHECK(attend_to(&inputs, &options, last_two) == HEED_OK);
  CHECK(memcmp(output, last_two, sizeof output) != 0);
  CHECK(heed_kv_cache_truncate(&cache, 0, 3) == HEED_BAD_LENGTH);
  CHECK(heed_kv_cache_truncate(&cache, 0, 1) == HEED_OK && heed_kv_cache_tokens(&cache, 0) == 1);
  CHECK(heed_kv_cache_reset(&cache, 0) == HEED_OK && heed_kv_cache_tokens(&cache, 0) == 0);
  newest.data += 4 * dim;
  CHECK(heed_kv_cache_append(&cache, 0, 2, newest, newest) == HEED_OK);
  CHECK(attend_to(&inputs, NULL, output) == HEED_OK);
  CHECK(memcmp(output, last_two, sizeof output) == 0);
}

/* What a plan needs and a program has not named is refused. */
static void test_storage_is_named(void) {
  const heed_const_tensor rows = fill(7);
  const heed_kv_storage floats = storage_of(HEED_DATA_TYPE_FLOAT32);
  heed_kv_storage bytes = storage_of(HEED_DATA_TYPE_INT8);
  heed_kv_cache_config config = config_of(HEED_DATA_TYPE_INT8);
  heed_kv_cache cache = {0};
  config.ring = 255; /* anything but 0 */
  CHECK(heed_plan_kv_cache(&config, &plan) == HEED_OK && plan.config.ring == 1);
  CHECK(heed_kv_cache_init(&cache, &plan, memory, sizeof memory, NULL) == HEED_MISSING_FORMAT);
  CHECK(heed_kv_cache_init(&cache, &plan, memory, sizeof memory, &floats) == HEED_MISSING_FORMAT);
  bytes.ring = NULL;
  CHECK(heed_kv_cache_bind(&cache, &plan, memory, sizeof memory, &bytes) == HEED_MISSING_FORMAT);
  CHECK(heed_kv_cache_append(&cache, 0, 1, rows, rows) == HEED_NOT_INITIALISED);
  bytes.ring = &heed_kv_ring;
  CHECK(heed_kv_cache_init(&cache, &plan, memory, sizeof memory, &bytes) == HEED_OK);
  CHECK(heed_kv_cache_append(&cache, 0, 1, rows, rows) == HEED_OK);
}

static void test_key_scales(void) {
  static const uint32_t sequence = 0;
  const heed_const_tensor rows = fill(127);
  heed_kv_cache_config config = config_of(HEED_DATA_TYPE_INT8);
  heed_attention_inputs inputs = one_query();
  heed_kv_cache cache;
  float scales[heads * dim];
  float output[heads * dim];
  for (int k = 0; k < heads * dim; ++k) scales[k] = 1;
  cache = new_cache(&config);
  CHECK(heed_kv_cache_set_key_scales(&cache, scales, heads * dim) == HEED_PLAN_MISMATCH);
  config.key_type = HEED_DATA_TYPE_INT8_CHANNELS;
  cache = new_cache(&config);
  CHECK(heed_kv_cache_append(&cache, 0, tokens, rows, rows) == HEED_BAD_SCALE);
  CHECK(heed_kv_cache_set_key_scales(NULL, scales, heads * dim) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_set_key_scales(&cache, NULL, heads * dim) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_set_key_scales(&cache, scales, heads * dim - 1) == HEED_BAD_LENGTH);
  CHECK(heed_kv_cache_set_key_scales(&cache, scales, heads * dim) == HEED_OK);
  CHECK(heed_kv_cache_append(&cache, 0, tokens, rows, rows) == HEED_OK);
  inputs.cache = &cache;
  inputs.sequence_ids = &sequence;
  attend_to_floats(rows, NULL);
  CHECK(attend_to(&inputs, NULL, output) == HEED_OK);
  CHECK(memcmp(output, by_floats, sizeof output) == 0);
}

static void test_snapshot(void) {
  const heed_const_tensor rows = fill(7);
  const heed_kv_cache_config config = config_of(HEED_DATA_TYPE_FLOAT16);
  const heed_kv_storage storage = storage_of(HEED_DATA_TYPE_FLOAT16);
  heed_kv_cache cache = new_cache(&config);
  heed_kv_cache restored = {0};
  CHECK(heed_kv_cache_append(&cache, 1, tokens, rows, rows) == HEED_OK);
  CHECK(heed_kv_cache_bind(&restored, &plan, memory, sizeof memory, &storage) == HEED_OK);
  CHECK(heed_kv_cache_length(&restored, 1) == tokens && heed_kv_cache_length(&restored, 0) == 0);
  CHECK(heed_kv_cache_append(&restored, 1, tokens, rows, rows) == HEED_CACHE_FULL);
  CHECK(heed_kv_cache_append(&restored, 2, 1, rows, rows) == HEED_BAD_SEQUENCE);
  CHECK(heed_kv_cache_truncate(&restored, 1, tokens + 1) == HEED_BAD_LENGTH);
  CHECK(heed_kv_cache_truncate(&restored, 1, 4) == HEED_OK && heed_kv_cache_tokens(&cache, 1) == 4);
}

static void test_statuses(void) {
  const heed_const_tensor rows = fill(7);
  heed_kv_cache_config config = config_of(HEED_DATA_TYPE_FLOAT32);
  heed_kv_cache cache = new_cache(&config);
  const heed_kv_cache_plan before = plan;
  heed_kv_cache_plan unchanged = before;
  heed_kv_cache empty = {0};
  heed_attention_inputs inputs = one_query();
  float output[heads * dim] = {-1};
  CHECK(heed_plan_kv_cache(NULL, &unchanged) == HEED_NULL_POINTER);
  CHECK(heed_plan_kv_cache(&config, NULL) == HEED_NULL_POINTER);
  config.sink_tokens = 1;
  CHECK(heed_plan_kv_cache(&config, &unchanged) == HEED_BAD_OPTION);
  config = config_of(HEED_DATA_TYPE_INT8_CHANNELS + 1);
  CHECK(heed_plan_kv_cache(&config, &unchanged) == HEED_BAD_OPTION);
  config.max_keys = 0;
  CHECK(heed_plan_kv_cache(&config, &unchanged) == HEED_ZERO_DIMENSION);
  CHECK(memcmp(&unchanged, &before, sizeof before) == 0);
  CHECK(heed_kv_cache_init(NULL, &plan, memory, sizeof memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_init(&cache, NULL, memory, sizeof memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_init(&cache, &plan, memory, plan.bytes - 1, NULL) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_kv_cache_bind(&cache, &plan, memory + 4, sizeof memory - 4, NULL) == HEED_ARENA_MISALIGNED);
  CHECK(heed_kv_cache_bind(&cache, NULL, memory, sizeof memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_append(NULL, 0, 1, rows, rows) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_append(&empty, 0, 1, rows, rows) == HEED_NOT_INITIALISED);
  CHECK(heed_kv_cache_truncate(NULL, 0, 0) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_reset(NULL, 0) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_reset(&empty, 0) == HEED_NOT_INITIALISED);
  CHECK(heed_kv_cache_length(NULL, 0) == 0 && heed_kv_cache_tokens(NULL, 0) == 0);
  CHECK(heed_kv_cache_length(&empty, 0) == 0 && heed_kv_cache_position(&empty, 0, 0) == 0);
  inputs.cache = &empty;
  CHECK(attend_to(&inputs, NULL, output) == HEED_NOT_INITIALISED);
  CHECK(attend_to(NULL, NULL, output) == HEED_NULL_POINTER);
  CHECK(output[0] == -1);
}

int main(void) {
  test_storages();
  test_pages();
  test_ring();
  test_storage_is_named();
  test_key_scales();
  test_snapshot();
  test_statuses();
  return report();
}
