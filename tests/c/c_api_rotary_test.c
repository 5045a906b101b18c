/* SPDX-License-Identifier: MIT
 *
 * Rotary and learned positions as a C99 program sees them. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"

HEED_ALIGNED static unsigned char table_memory[1 << 12];
HEED_ALIGNED static unsigned char fused_memory[1 << 13];
HEED_ALIGNED static unsigned char parted_memory[1 << 13];

static heed_rotary_plan known_plan(void) {
  heed_rotary_config config = {0};
  heed_rotary_plan plan = {0};
  config.head_dim = 6;
  config.rotary_dim = 4;
  config.max_position = 20;
  CHECK(heed_plan_rotary(&config, &plan) == HEED_OK);
  CHECK(plan.bytes >= 20 * 4 * sizeof(float) && plan.bytes <= sizeof table_memory);
  CHECK(plan.config.base == 10000.0F && plan.config.attention_factor == 1.0F);
  return plan;
}

/* Position 2 rotates the first pair by 2 radians and the second by 2 / 100. */
static void test_known_angles(void) {
  static const double halves[6] = {
      -0.4161468365471424, 0.9998000066665778, 0.9092974268256817, 0.01999866669333308, 5, 6};
  static const double interleaved[6] = {
      -0.4161468365471424, 0.9092974268256817, 0.9998000066665778, 0.01999866669333308, 5, 6};
  static const float by_halves[6] = {1, 1, 0, 0, 5, 6};
  static const float by_pairs[6] = {1, 0, 1, 0, 5, 6};
  const uint32_t position = 2;
  heed_rotary rotary = {0};
  heed_rotary_positions tokens = {0};
  float rotated[6];
  tokens.batch = 1;
  tokens.heads = 1;
  tokens.tokens = 1;
  tokens.positions = &position;
  rotary.plan = known_plan();
  CHECK(heed_apply_rotary(&rotary, &tokens, heed_const_bhsd(by_halves, 1, 1, 6), heed_bhsd(rotated, 1, 1, 6)) ==
        HEED_OK);
  CHECK(close_to(rotated, halves, 6));
  rotary.plan.config.layout = HEED_ROTARY_INTERLEAVED;
  CHECK(heed_apply_rotary(&rotary, &tokens, heed_const_bhsd(by_pairs, 1, 1, 6), heed_bhsd(rotated, 1, 1, 6)) ==
        HEED_OK);
  CHECK(close_to(rotated, interleaved, 6));
}

static void test_appends(void) {
  static float key[2 * 5 * 6];
  static float rotated[2 * 5 * 6];
  const heed_const_tensor view = heed_const_bhsd(key, 2, 5, 6);
  heed_rotary rotary = {0};
  heed_rotary_positions tokens = {0};
  heed_kv_cache_config config = {0};
  heed_kv_cache_plan plan = {0};
  heed_kv_cache fused = {0};
  heed_kv_cache parted = {0};
  for (int k = 0; k < 2 * 5 * 6; ++k) key[k] = (float)(k % 7) - 3.0F;
  config.max_sequences = 1;
  config.kv_heads = 2;
  config.head_dim = 6;
  config.max_keys = 16;
  tokens.batch = 1;
  tokens.heads = 2;
  tokens.tokens = 5;
  rotary.plan = known_plan();
  CHECK(heed_plan_kv_cache(&config, &plan) == HEED_OK && plan.bytes <= sizeof fused_memory);
  CHECK(heed_kv_cache_init(&fused, &plan, fused_memory, sizeof fused_memory, NULL) == HEED_OK);
  CHECK(heed_kv_cache_init(&parted, &plan, parted_memory, sizeof parted_memory, NULL) == HEED_OK);
  CHECK(heed_apply_rotary(&rotary, &tokens, view, heed_bhsd(rotated, 2, 5, 6)) == HEED_OK);
  CHECK(heed_kv_cache_append(&parted, 0, 5, heed_const_bhsd(rotated, 2, 5, 6), view) == HEED_OK);
  CHECK(heed_make_rotary_table(&rotary.plan, table_memory, sizeof table_memory, &rotary) == HEED_OK);
  CHECK(rotary.table == (const float*)(const void*)table_memory);
  CHECK(heed_kv_cache_append_rotated(&fused, 0, 5, view, view, &rotary, NULL) == HEED_OK);
  CHECK(heed_kv_cache_length(&fused, 0) == 5);
  CHECK(memcmp(fused_memory, parted_memory, plan.bytes) == 0);
  CHECK(memcmp(key, rotated, sizeof key) != 0);

  CHECK(heed_kv_cache_append_rotated(&fused, 0, 12, view, view, &rotary, NULL) == HEED_CACHE_FULL);
  CHECK(heed_kv_cache_append_rotated(NULL, 0, 5, view, view, &rotary, NULL) == HEED_NULL_POINTER);
  CHECK(heed_kv_cache_append_rotated(&fused, 0, 5, view, view, NULL, NULL) == HEED_NULL_POINTER);
}

static void test_statuses(void) {
  heed_rotary_plan plan = known_plan();
  const heed_rotary_plan before = plan;
  heed_rotary_config config = plan.config;
  heed_rotary rotary = {0};
  heed_rotary_positions tokens = {0};
  float x[6] = {0};
  const heed_tensor view = heed_bhsd(x, 1, 1, 6);
  const heed_const_tensor from = heed_const_bhsd(x, 1, 1, 6);
  CHECK(heed_plan_rotary(NULL, &plan) == HEED_NULL_POINTER && heed_plan_rotary(&config, NULL) == HEED_NULL_POINTER);
  config.rotary_dim = 3;
  CHECK(heed_plan_rotary(&config, &plan) == HEED_BAD_ROTARY);
  config.rotary_dim = 4;
  config.base = 0.5F;
  CHECK(heed_plan_rotary(&config, &plan) == HEED_BAD_BASE);
  config.base = 2.0F;
  config.scaling = HEED_ROTARY_LLAMA3;
  CHECK(heed_plan_rotary(&config, &plan) == HEED_ZERO_DIMENSION);
  CHECK(memcmp(&plan, &before, sizeof plan) == 0);
  CHECK(heed_make_rotary_table(NULL, table_memory, sizeof table_memory, &rotary) == HEED_NULL_POINTER);
  CHECK(heed_make_rotary_table(&plan, table_memory, sizeof table_memory, NULL) == HEED_NULL_POINTER);
  CHECK(heed_make_rotary_table(&plan, table_memory, plan.bytes - 1, &rotary) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_apply_rotary(NULL, &tokens, from, view) == HEED_NULL_POINTER);
  CHECK(heed_apply_rotary(&rotary, NULL, from, view) == HEED_NULL_POINTER);
  CHECK(heed_apply_rotary(&rotary, &tokens, from, view) == HEED_NOT_INITIALISED);
  rotary.plan = plan;
  tokens.tokens = 0xFFFFFFFF;
  CHECK(heed_apply_rotary(&rotary, &tokens, from, view) == HEED_TOO_LARGE);
}

static void test_learned_positions(void) {
  static const float table[6] = {1, 2, 3, 4, 5, 6};
  static const double expected[4] = {13, 14, 25, 26};
  float x[4] = {10, 10, 20, 20};
  CHECK(heed_add_learned_positions(table, 6, heed_dense(x, 2, 2), 2, 2, 1) == HEED_OK);
  CHECK(close_to(x, expected, 4));
  CHECK(heed_add_learned_positions(table, 6, heed_dense(x, 2, 2), 2, 2, 2) == HEED_BAD_POSITION);
}

int main(void) {
  test_known_angles();
  test_appends();
  test_statuses();
  test_learned_positions();
  return report();
}
