/* SPDX-License-Identifier: MIT
 *
 * Attention with options as a C99 program sees it. Queries of 0 make every score 0, so that what an option adds to it,
 * and how it shares the weight among four keys, is known. */
#include <string.h>

#include "c_attention.h"

enum { heads = 2, rows = 4, dim = 3, count = heads * rows * dim, score_count = heads * rows * rows };

static float values[count];
static float zeros[count];

static heed_attention_plan known_plan(void) {
  return attention_plan(heads, dim, 4096);
}

static heed_attention_inputs inputs_of(const float* query) {
  heed_attention_inputs inputs = {0};
  inputs.batch = 1;
  inputs.query_count = rows;
  inputs.key_count = rows;
  inputs.query = heed_const_bhsd(query, heads, rows, dim);
  inputs.key = heed_const_bhsd(values, heads, rows, dim);
  inputs.value = inputs.key;
  return inputs;
}

/* Attends, and leaves what `stage` names in scores[score_count], for one query of 0 after the other. */
static heed_status score(const heed_attention_options* options, heed_score_stage stage, float* scores) {
  const heed_attention_plan plan = known_plan();
  const heed_attention_inputs inputs = inputs_of(zeros);
  float output[count];
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(output, heads, rows, dim);
  outputs.scores = heed_bhsd(scores, heads, rows, rows);
  outputs.score_stage = stage;
  return heed_attend_with_options(&plan, arena, sizeof arena, &inputs, options, &outputs, NULL);
}

static void attend(const heed_attention_options* options, float* output) {
  const heed_attention_plan plan = known_plan();
  const heed_attention_inputs inputs = inputs_of(values);
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(output, heads, rows, dim);
  CHECK(heed_attend_with_options(&plan, arena, sizeof arena, &inputs, options, &outputs, NULL) == HEED_OK);
}

static void test_no_options(void) {
  const heed_attention_plan plan = known_plan();
  heed_attention_inputs inputs = inputs_of(values);
  const heed_attention_options none = {0};
  float expected[count];
  float output[count];
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(expected, heads, rows, dim);
  CHECK(heed_attend(&plan, arena, sizeof arena, &inputs, &outputs, NULL) == HEED_OK);
  attend(&none, output);
  CHECK(memcmp(output, expected, sizeof output) == 0);
  memset(output, 0, sizeof output);
  attend(NULL, output);
  CHECK(memcmp(output, expected, sizeof output) == 0);
  CHECK(heed_attend_with_options(NULL, arena, sizeof arena, &inputs, &none, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend_with_options(&plan, arena, sizeof arena, NULL, &none, &outputs, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend_with_options(&plan, arena, sizeof arena, &inputs, &none, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_attend_with_options(&plan, arena, plan.bytes - 1, &inputs, &none, &outputs, NULL) == HEED_ARENA_TOO_SMALL);
}

static void test_cache(void) {
  HEED_ALIGNED static unsigned char memory[1 << 12];
  const heed_attention_plan plan = known_plan();
  heed_kv_cache_config config = {0};
  heed_kv_cache_plan cache_plan = {0};
  heed_kv_cache cache = {0};
  heed_attention_inputs inputs = inputs_of(values);
  heed_attention_options options = {0};
  float expected[count];
  float output[count];
  heed_attention_outputs outputs = {0};
  config.max_sequences = 1;
  config.kv_heads = heads;
  config.head_dim = dim;
  config.max_keys = rows;
  CHECK(heed_plan_kv_cache(&config, &cache_plan) == HEED_OK);
  CHECK(heed_kv_cache_init(&cache, &cache_plan, memory, sizeof memory, NULL) == HEED_OK);
  CHECK(heed_kv_cache_append(&cache, 0, rows, inputs.key, inputs.value) == HEED_OK);
  options.left_window = 3;
  attend(&options, expected);
  memset(&inputs.key, 0, sizeof inputs.key);
  inputs.cache = &cache;
  outputs.output = heed_bhsd(output, heads, rows, dim);
  CHECK(heed_attend_with_options(&plan, arena, sizeof arena, &inputs, &options, &outputs, NULL) == HEED_OK);
  CHECK(memcmp(output, expected, sizeof output) == 0);
}

static void test_windows(void) {
  static const double two_keys[16] = {1, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0.5, 0.5};
  static const double third = 1.0 / 3.0;
  heed_attention_options options = {0};
  float weights[score_count];
  options.left_window = 2;
  options.right_window = 1;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_OK);
  CHECK(close_to(weights, two_keys, 16) && close_to(weights + 16, two_keys, 16));
  options.left_window = 0;
  options.right_window = 2;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_OK);
  CHECK(weights[0] == 0.5F && weights[3] == 0 && weights[6] > 0.333F && weights[7] == 0);
  CHECK(close_to(weights + 4, &third, 1) && weights[12] == 0.25F);
  options.right_window = 0x80000000U;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_OK && weights[3] == 0.25F);
  options.right_window = 0x80000001U;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_BAD_OPTION);
  options.right_window = 0;
  options.left_window = UINT32_MAX;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_BAD_OPTION);
}

/* Row i of the masks lets its query see the keys i - 1 and i, as a window does. */
static void test_bool_masks(void) {
  static const uint8_t bytes[16] = {1, 0, 0, 0, 1, 9, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1};
  static const uint8_t bits[4] = {0x1, 0x3, 0x6, 0xC};
  heed_attention_options window = {0};
  heed_attention_options masked = {0};
  float expected[count];
  float output[count];
  float scores[score_count];
  window.left_window = 2;
  window.right_window = 1;
  attend(&window, expected);
  masked.bool_mask.data = bytes;
  masked.bool_mask.query_stride = 4;
  masked.bool_mask.key_count = 4;
  attend(&masked, output);
  CHECK(memcmp(output, expected, sizeof output) == 0);
  masked.bool_mask.data = bits;
  masked.bool_mask.query_stride = 1;
  masked.bool_mask.format = HEED_MASK_BITS;
  memset(output, 0, sizeof output);
  attend(&masked, output);
  CHECK(memcmp(output, expected, sizeof output) == 0);
  masked.bool_mask.format = 2;
  CHECK(score(&masked, HEED_SCORE_RAW, scores) == HEED_BAD_OPTION);
}

static void test_score_biases(void) {
  static const float pre_cap[3] = {1, -1, 0};
  static const float mask[4] = {0.25F, 0.5F, -3e38F, 1};
  static const double capped[4] = {0.9242343145200195, -0.9242343145200195, 0, 0}; /* 2 tanh(1 / 2) */
  static const double biased[2] = {1.1742343145200195, -0.4242343145200195};
  heed_attention_options options = {0};
  float scores[score_count];
  options.pre_softcap_bias.data.data = pre_cap;
  options.pre_softcap_bias.key_count = 3;
  options.softcap = 2;
  options.additive_mask.data.data = mask;
  options.additive_mask.key_count = 4;
  CHECK(score(&options, HEED_SCORE_SOFTCAPPED, scores) == HEED_OK);
  CHECK(close_to(scores, capped, 4) && close_to(scores + score_count - 4, capped, 4));
  CHECK(score(&options, HEED_SCORE_MASKED, scores) == HEED_OK);
  CHECK(close_to(scores, biased, 2) && scores[2] < -3.4e38F && scores[3] == 1);
  CHECK(memcmp(scores, scores + score_count - 4, 4 * sizeof(float)) == 0);
  options.softcap = -1;
  CHECK(score(&options, HEED_SCORE_MASKED, scores) == HEED_BAD_OPTION);
}

static void test_sinks(void) {
  static const float sinks[heads] = {0, 1.3862944F}; /* e^sink is 1 and 4 */
  static const double fifth = 0.2;
  static const double eighth = 0.125;
  heed_attention_options options = {0};
  float weights[score_count];
  options.sink_logits = sinks;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_OK);
  CHECK(close_to(weights, &fifth, 1) && close_to(weights + 16, &eighth, 1));
  options.smooth_softmax = 2;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_BAD_OPTION);
  options.sink_logits = NULL;
  CHECK(score(&options, HEED_SCORE_WEIGHTS, weights) == HEED_OK);
  CHECK(close_to(weights, &fifth, 1) && close_to(weights + 16, &fifth, 1));
}

static void test_lengths(void) {
  static const int32_t offset = 1;
  static const uint32_t queries = 3;
  static const uint32_t prefix = 4;
  const heed_attention_plan plan = known_plan();
  heed_attention_inputs inputs = inputs_of(zeros);
  heed_attention_options options = {0};
  heed_attention_outputs outputs = {0};
  float output[count];
  float weights[score_count];
  outputs.output = heed_bhsd(output, heads, rows, dim);
  outputs.scores = heed_bhsd(weights, heads, rows, rows);
  outputs.score_stage = HEED_SCORE_WEIGHTS;
  inputs.causal = HEED_CAUSAL_OFFSET;
  options.causal_offsets = &offset;
  options.query_lengths = &queries;
  CHECK(heed_attend_with_options(&plan, arena, sizeof arena, &inputs, &options, &outputs, NULL) == HEED_OK);
  CHECK(weights[0] == 0.5F && weights[1] == 0.5F && weights[2] == 0 && weights[11] == 0.25F);
  CHECK(weights[12] == 0 && output[9] == 0 && output[6] != 0);
  options.prefix_lengths = &prefix;
  CHECK(heed_attend_with_options(&plan, arena, sizeof arena, &inputs, &options, &outputs, NULL) == HEED_OK);
  CHECK(weights[0] == 0.25F && weights[3] == 0.25F && weights[12] == 0);
}

static void test_score_selection(void) {
  static const float mask[4] = {1, 2, 3, 4};
  heed_attention_options options = {0};
  float all[score_count] = {0};
  float chosen[score_count];
  float mean[rows * rows];
  const heed_const_tensor scores = heed_const_bhsd(all, heads, rows, rows);
  options.additive_mask.data.data = mask;
  options.additive_mask.data.head_stride = 1;
  options.additive_mask.key_count = 3;
  CHECK(score(&options, HEED_SCORE_MASKED, all) == HEED_OK);
  CHECK(all[0] == 1 && all[2] == 3 && all[16] == 2 && all[18] == 4);
  CHECK(heed_mean_over_heads(1, heads, rows, rows, scores, heed_dense(mean, rows, rows)) == HEED_OK);
  CHECK(mean[0] == 1.5F && mean[2] == 3.5F && mean[12] == 1.5F);
  CHECK(heed_mean_over_heads(1, 0, rows, rows, scores, heed_dense(mean, rows, rows)) == HEED_ZERO_DIMENSION);
  CHECK(heed_mean_over_heads(1, heads, rows, rows, scores, heed_dense(NULL, rows, rows)) == HEED_NULL_POINTER);
  for (int k = 0; k < score_count; ++k) chosen[k] = -7;
  options.score_selection.first_head = 1;
  options.score_selection.first_query = 2;
  options.score_selection.query_count = 1;
  CHECK(score(&options, HEED_SCORE_MASKED, chosen) == HEED_OK);
  CHECK(chosen[0] == 2 && chosen[2] == 4 && chosen[3] < -3.4e38F && chosen[4] == -7);
  options.score_selection.first_head = 2;
  CHECK(score(&options, HEED_SCORE_MASKED, chosen) != HEED_OK);
}

int main(void) {
  fill_randomly(values, count);
  test_no_options();
  test_cache();
  test_windows();
  test_bool_masks();
  test_score_biases();
  test_sinks();
  test_lengths();
  test_score_selection();
  return report();
}
