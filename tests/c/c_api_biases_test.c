/* SPDX-License-Identifier: MIT
 *
 * Numbers for biases, biases in attention, and merging, as a C99 program sees them. */
#include <string.h>

#include "c_attention.h"

enum { heads = 2, rows = 5, dim = 3, count = heads * rows * dim };

static float values[count];

static heed_attention_plan known_plan(void) {
  return attention_plan(heads, dim, 4096);
}

/* Attention over `keys` keys from `first` on. */
static void attend_part(const float* query, uint32_t first, uint32_t keys, const heed_attention_options* options,
                        heed_attention_outputs outputs) {
  const heed_attention_plan plan = known_plan();
  heed_attention_inputs inputs = {0};
  inputs.batch = 1;
  inputs.query_count = rows;
  inputs.key_count = keys;
  inputs.query = heed_const_bhsd(query, heads, rows, dim);
  inputs.key = heed_const_bhsd(values + first * dim, heads, rows, dim);
  inputs.value = inputs.key;
  CHECK(heed_attend_with_options(&plan, arena, sizeof arena, &inputs, options, &outputs, NULL) == HEED_OK);
}

/* Scores after biases of queries that are 0. */
static void biased_scores(const heed_attention_options* options, float* scores) {
  static const float zeros[count];
  float output[count];
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(output, heads, rows, dim);
  outputs.scores = heed_bhsd(scores, heads, rows, rows);
  outputs.score_stage = HEED_SCORE_MASKED;
  attend_part(zeros, 0, rows, options, outputs);
}

static void test_alibi(void) {
  static const double three[3] = {0.0625, 0.00390625, 0.25}; /* two heads' slopes, then the first of four */
  heed_attention_options options = {0};
  float slopes[4] = {-1, -1, -1, -1};
  float scores[heads * rows * rows];
  CHECK(heed_alibi_slopes(3, slopes, 4) == HEED_OK);
  CHECK(close_to(slopes, three, 3) && slopes[3] == -1);
  CHECK(heed_alibi_slopes(5, slopes, 4) == HEED_ARENA_TOO_SMALL);
  CHECK(heed_alibi_slopes(0, slopes, 4) == HEED_ZERO_DIMENSION);
  CHECK(heed_alibi_slopes(3, NULL, 4) == HEED_NULL_POINTER);
  options.alibi_slopes = slopes;
  biased_scores(&options, scores);
  for (int h = 0; h < heads; ++h) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < rows; ++j) {
        const double expected = -three[h] * (i > j ? i - j : j - i);
        CHECK(close_to(scores + (h * rows + i) * rows + j, &expected, 1));
      }
    }
  }
}

/* What Hugging Face's T5 computes. */
static void test_buckets(void) {
  static const int32_t positions[9] = {0, -1, 1, 7, 8, 20, -20, -127, 1000};
  static const uint32_t both[9] = {0, 1, 17, 23, 24, 26, 10, 15, 31};
  static const uint32_t past[9] = {0, 1, 0, 0, 0, 0, 17, 31, 0};
  heed_relative_buckets_config config = {0};
  heed_relative_buckets_plan plan = {0};
  heed_relative_buckets_plan before;
  CHECK(heed_plan_relative_buckets(&config, &plan) == HEED_OK);
  CHECK(plan.config.num_buckets == 32 && plan.config.max_distance == 128 && plan.columns == plan.left + 1 + plan.right);
  for (int k = 0; k < 9; ++k) CHECK(heed_relative_bucket(&plan, positions[k]) == both[k]);
  config.directions = HEED_RELATIVE_CAUSAL;
  CHECK(heed_plan_relative_buckets(&config, &plan) == HEED_OK && plan.right == 0);
  for (int k = 0; k < 9; ++k) CHECK(heed_relative_bucket(&plan, positions[k]) == past[k]);
  CHECK(heed_relative_bucket(NULL, -1) == 0);
  before = plan;
  config.directions = 2;
  CHECK(heed_plan_relative_buckets(&config, &plan) == HEED_BAD_OPTION);
  config.directions = HEED_RELATIVE_BIDIRECTIONAL;
  config.max_distance = 4;
  CHECK(heed_plan_relative_buckets(&config, &plan) == HEED_BAD_OPTION);
  CHECK(memcmp(&plan, &before, sizeof plan) == 0);
  CHECK(heed_plan_relative_buckets(NULL, &plan) == HEED_NULL_POINTER);
  CHECK(heed_plan_relative_buckets(&config, NULL) == HEED_NULL_POINTER);
}

static void test_relative_bias(void) {
  static float embedding[8 * heads];
  static float table[256];
  heed_relative_buckets_config config = {0};
  heed_relative_buckets_plan plan = {0};
  heed_relative_bias bias = {0};
  heed_attention_options options = {0};
  float scores[heads * rows * rows];
  for (int k = 0; k < 8 * heads; ++k) embedding[k] = 0.5F * (float)(k + 1);
  CHECK(heed_expand_relative_bias(&plan, embedding, 8 * heads, heads, table, 256, &bias) == HEED_NOT_INITIALISED);
  config.num_buckets = 8;
  config.max_distance = 16;
  CHECK(heed_plan_relative_buckets(&config, &plan) == HEED_OK && heads * plan.columns <= 256);
  CHECK(heed_expand_relative_bias(NULL, embedding, 8 * heads, heads, table, 256, &bias) == HEED_NULL_POINTER);
  CHECK(heed_expand_relative_bias(&plan, embedding, 8 * heads, heads, table, 256, NULL) == HEED_NULL_POINTER);
  CHECK(heed_expand_relative_bias(&plan, embedding, 8 * heads - 1, heads, table, 256, &bias) == HEED_BAD_LENGTH);
  CHECK(heed_expand_relative_bias(&plan, embedding, 8 * heads, heads, table, heads * plan.columns - 1, &bias) ==
        HEED_ARENA_TOO_SMALL);
  CHECK(bias.values == NULL);
  CHECK(heed_expand_relative_bias(&plan, embedding, 8 * heads, heads, table, heads * plan.columns, &bias) == HEED_OK);
  CHECK(bias.values == table && bias.left == plan.left && bias.right == plan.right);
  options.relative_bias = bias;
  biased_scores(&options, scores);
  for (int h = 0; h < heads; ++h) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < rows; ++j) {
        const uint32_t bucket = heed_relative_bucket(&plan, j - i);
        const double expected = (double)embedding[bucket * heads + (uint32_t)h];
        CHECK(close_to(scores + (h * rows + i) * rows + j, &expected, 1));
      }
    }
  }
}

static void test_merge(void) {
  float whole[count];
  float whole_sum[heads * rows];
  float part[2][count];
  float part_sum[2][heads * rows];
  double expected[count];
  double expected_sum[heads * rows];
  heed_partial_attention parts[2] = {{{0}, NULL}, {{0}, NULL}};
  heed_attention_outputs outputs = {0};
  outputs.output = heed_bhsd(whole, heads, rows, dim);
  outputs.log_sum_exp = whole_sum;
  attend_part(values, 0, rows, NULL, outputs);
  for (int p = 0; p < 2; ++p) {
    outputs.output = heed_bhsd(part[p], heads, rows, dim);
    outputs.log_sum_exp = part_sum[p];
    attend_part(values, p == 0 ? 0 : 2, p == 0 ? 2 : 3, NULL, outputs);
    parts[p].output = heed_const_bhsd(part[p], heads, rows, dim);
    parts[p].log_sum_exp = part_sum[p];
  }
  for (int k = 0; k < count; ++k) expected[k] = (double)whole[k];
  for (int k = 0; k < heads * rows; ++k) expected_sum[k] = (double)whole_sum[k];
  outputs.output = heed_bhsd(part[0], heads, rows, dim);
  CHECK(!close_to(part[0], expected, count));
  CHECK(heed_merge(1, heads, rows, 0, parts, 2, outputs.output, NULL) == HEED_ZERO_DIMENSION);
  CHECK(heed_merge(1, heads, rows, dim, NULL, 2, outputs.output, NULL) == HEED_NULL_POINTER);
  CHECK(heed_merge(1, heads, rows, dim, parts, 2, outputs.output, part_sum[0]) == HEED_OK);
  CHECK(close_to(part[0], expected, count) && close_to(part_sum[0], expected_sum, heads * rows));
  CHECK(heed_merge(1, heads, rows, dim, NULL, 0, outputs.output, part_sum[0]) == HEED_OK);
  CHECK(part[0][0] == 0 && part[0][count - 1] == 0 && part_sum[0][0] < -3.4e38F);
}

int main(void) {
  fill_randomly(values, count);
  test_alibi();
  test_buckets();
  test_relative_bias();
  test_merge();
  return report();
}
