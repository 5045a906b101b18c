/* SPDX-License-Identifier: MIT
 *
 * The C interface as a C99 program sees it: models from a file. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"
#include "model_file.h"

enum { dim = 8, vocabulary = 11, max_tokens = 6, frames = 3, frame_dim = 5, labels = 4 };

HEED_ALIGNED static unsigned char file[1 << 15];
HEED_ALIGNED static unsigned char state[1 << 13];
HEED_ALIGNED static unsigned char kv_state[1 << 13];
HEED_ALIGNED static unsigned char scratch[1 << 17];
static const uint32_t prompt[4] = {3, 1, 10, 7};

/* A decoder of tokens with weights of a type. */
static heed_model_config decoder(heed_data_type type) {
  heed_model_config config = {0};
  config.block.model_dim = dim;
  config.block.heads = 2;
  config.block.weight_type = config.input_type = config.head_type = type;
  config.blocks = 2;
  config.input_dim = vocabulary;
  config.max_positions = max_tokens;
  config.outputs = vocabulary;
  return config;
}

/* An encoder of frames with a label for all of them. */
static heed_model_config encoder(void) {
  heed_model_config config = {0};
  config.block.model_dim = dim;
  config.block.heads = 2;
  config.blocks = 2;
  config.input = HEED_INPUT_FRAMES;
  config.input_dim = frame_dim;
  config.max_positions = frames + 1;
  config.outputs = labels;
  config.class_token = 1;
  config.pooling = HEED_POOLING_FIRST;
  config.encoder = true;
  return config;
}

static heed_packed_model packed(const heed_model_config* config, const heed_format* const* formats, size_t count) {
  heed_packed_model model = {0};
  model.bytes = file;
  model.size = write_model_file(config, file, sizeof file);
  model.formats = formats;
  model.format_count = count;
  CHECK(model.size != 0);
  return model;
}

/* init or bind, with all of the memory. */
static heed_status start(heed_status (*call)(heed_model*, const heed_model_plan*, void*, size_t, void*, size_t,
                                             const heed_packed_model*, const heed_kv_storage*),
                         heed_model* model, const heed_model_plan* plan, unsigned char* of_state,
                         const heed_packed_model* model_file, const heed_kv_storage* storage) {
  return call(model, plan, of_state, sizeof state, scratch, sizeof scratch, model_file, storage);
}

struct seen {
  uint32_t calls[HEED_STAGE_OUTPUT + 1];
  uint32_t last_block;
  float last;
};

static void see(void* context, uint32_t block, heed_stage stage, const float* values, uint32_t rows, uint32_t columns) {
  struct seen* const seen = context;
  ++seen->calls[stage];
  seen->last_block = block;
  seen->last = values[(size_t)rows * columns - 1];
}

static void test_decoder(void) {
  const heed_model_config written = decoder(HEED_DATA_TYPE_FLOAT32);
  const heed_packed_model model_file = packed(&written, NULL, 0);
  struct seen seen = {0};
  const heed_stage_observer observer = {&seen, see};
  heed_model_config config = {0};
  heed_block_memory memory = {0};
  heed_model_plan plan = {0};
  static heed_model model;
  const char* field;
  float prefilled[vocabulary];
  float decoded[vocabulary];
  CHECK(heed_read_model(file, model_file.size - 1, &config, &field) == HEED_BAD_FILE && strcmp(field, "length") == 0);
  CHECK(config.blocks == 0);
  CHECK(heed_read_model(file, model_file.size, &config, NULL) == HEED_OK);
  CHECK(config.blocks == 2 && config.input_dim == vocabulary && config.block.kv_heads == 2);
  CHECK(heed_plan_model(&config, &memory, &plan) == HEED_ZERO_DIMENSION && plan.state_bytes == 0);
  memory.rows = 2;
  memory.max_keys = max_tokens;
  CHECK(heed_plan_model(&config, &memory, &plan) == HEED_OK);
  CHECK(plan.state_bytes <= sizeof state && plan.scratch_bytes <= sizeof scratch);
  CHECK(plan.file.bytes == model_file.size);
  CHECK(heed_model_decode(&model, 3, decoded, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_model_init(&model, &plan, state, plan.state_bytes - 1, scratch, sizeof scratch, &model_file, NULL) ==
        HEED_ARENA_TOO_SMALL);
  CHECK(start(heed_model_init, &model, &plan, state, &model_file, NULL) == HEED_OK);
  heed_model_observe(&model, &observer);
  CHECK(heed_model_prefill(&model, prompt, 4, prefilled, NULL) == HEED_OK);
  CHECK(heed_model_tokens(&model) == 4);
  CHECK(seen.calls[HEED_STAGE_EMBEDDING] == 2 && seen.calls[HEED_STAGE_BLOCK] == 4); /* two rows at a time */
  CHECK(seen.calls[HEED_STAGE_OUTPUT] == 1 && seen.last == prefilled[vocabulary - 1]);
  CHECK(strcmp(heed_stage_to_string(HEED_STAGE_CROSS_ATTENTION), "cross-attention") == 0);

  CHECK(heed_model_truncate(&model, 5) == HEED_BAD_LENGTH && heed_model_truncate(&model, 0) == HEED_OK);
  heed_model_observe(&model, NULL);
  for (int t = 0; t < 4; ++t) CHECK(heed_model_decode(&model, prompt[t], decoded, NULL) == HEED_OK);
  CHECK(memcmp(decoded, prefilled, sizeof decoded) == 0 && seen.calls[HEED_STAGE_OUTPUT] == 1);
  CHECK(heed_model_decode(&model, vocabulary, decoded, NULL) == HEED_BAD_TOKEN);
  CHECK(heed_model_decode(&model, 0, NULL, NULL) == HEED_NULL_POINTER);
  CHECK(heed_model_prefill(&model, prompt, 3, decoded, NULL) == HEED_CACHE_FULL);
  CHECK(heed_model_encode_tokens(&model, prompt, 4, decoded, NULL) == HEED_PLAN_MISMATCH);
  CHECK(memcmp(decoded, prefilled, sizeof decoded) == 0);

  { /* The state goes on in another model. */
    static heed_model other;
    float next[vocabulary];
    CHECK(start(heed_model_bind, &other, &plan, state, &model_file, NULL) == HEED_OK);
    CHECK(heed_model_tokens(&other) == 4 && heed_model_decode(&other, 2, next, NULL) == HEED_OK);
    CHECK(heed_model_truncate(&model, 4) == HEED_OK && heed_model_decode(&model, 2, decoded, NULL) == HEED_OK);
    CHECK(memcmp(decoded, next, sizeof next) == 0);
    --*(uint32_t*)(void*)(state + plan.block.state_bytes); /* the second block has seen a token less */
    CHECK(start(heed_model_bind, &other, &plan, state, &model_file, NULL) == HEED_BAD_STATE);
    CHECK(heed_model_tokens(&other) == 5);
    memset(state, 0xFF, sizeof state);
    CHECK(start(heed_model_bind, &other, &plan, state, &model_file, NULL) == HEED_BAD_STATE);
  }
}

/* Weights in few bits, keys and values in 8, and floats of both. */
static void test_kv_decoder(void) {
  const heed_format* const formats[3] = {&heed_int4_group_weights, &heed_int8_weights, &heed_int8_group_weights};
  const heed_kv_storage bytes = {{&heed_int8_cache, NULL, NULL}, NULL, NULL};
  const heed_model_config config = decoder(HEED_DATA_TYPE_INT8);
  const heed_packed_model model_file = packed(&config, formats, 3);
  const heed_packed_model none = {file, sizeof file, NULL, 0, NULL};
  const heed_packed_model others = {file, sizeof file, formats, 1, NULL};
  heed_block_memory memory = {0};
  heed_model_plan plan, small_plan;
  static heed_model model;
  static heed_model small;
  float logits[3][vocabulary];
  memory.max_keys = max_tokens;
  CHECK(heed_plan_model(&config, &memory, &plan) == HEED_OK);
  CHECK(start(heed_model_init, &model, &plan, state, &none, NULL) == HEED_MISSING_FORMAT);
  CHECK(start(heed_model_init, &model, &plan, state, &others, NULL) == HEED_MISSING_FORMAT);
  CHECK(start(heed_model_init, &model, &plan, state, &model_file, NULL) == HEED_OK);
  CHECK(heed_model_prefill(&model, prompt, 4, logits[0], NULL) == HEED_OK);

  memory.key_type = memory.value_type = HEED_DATA_TYPE_INT8;
  CHECK(heed_plan_model(&config, &memory, &small_plan) == HEED_OK);
  CHECK(small_plan.state_bytes < plan.state_bytes && small_plan.scratch_bytes <= sizeof scratch);
  CHECK(start(heed_model_init, &small, &small_plan, kv_state, &model_file, NULL) == HEED_MISSING_FORMAT);
  CHECK(start(heed_model_init, &small, &small_plan, kv_state, &model_file, &bytes) == HEED_OK);
  for (int t = 0; t < 4; ++t) CHECK(heed_model_decode(&small, prompt[t], logits[2], NULL) == HEED_OK);
  CHECK(heed_model_tokens(&small) == 4 && heed_model_truncate(&small, 2) == HEED_OK);
  CHECK(start(heed_model_bind, &small, &small_plan, kv_state, &model_file, &bytes) == HEED_OK);
  CHECK(heed_model_tokens(&small) == 2);
  ++*(uint32_t*)(void*)(kv_state + small_plan.block.state_bytes); /* the second block has seen a token more */
  CHECK(start(heed_model_bind, &small, &small_plan, kv_state, &model_file, &bytes) == HEED_BAD_STATE);
  --*(uint32_t*)(void*)(kv_state + small_plan.block.state_bytes);
  CHECK(heed_model_prefill(&small, prompt + 2, 2, logits[1], NULL) == HEED_OK);
  CHECK(memcmp(logits[1], logits[2], sizeof logits[1]) == 0);
  for (int i = 0; i < vocabulary; ++i) CHECK(logits[2][i] - logits[0][i] < 0.1F && logits[0][i] - logits[2][i] < 0.1F);
}

static void test_encoder(void) {
  const heed_model_config config = encoder();
  const heed_packed_model model_file = packed(&config, NULL, 0);
  heed_block_memory memory = {0};
  heed_model_plan plan;
  static heed_model model;
  static heed_model observed;
  float input[frames * frame_dim];
  float logits[labels];
  float same[labels];
  struct seen seen = {0};
  const heed_stage_observer observer = {&seen, see};
  for (int i = 0; i < frames * frame_dim; ++i) input[i] = (float)(i % 7) * 0.25F;
  memory.rows = memory.max_keys = frames + 1;
  CHECK(heed_plan_model(&config, &memory, &plan) == HEED_OK && plan.state_bytes <= sizeof state);
  CHECK(start(heed_model_init, &model, &plan, state, &model_file, NULL) == HEED_OK);
  CHECK(start(heed_model_init, &observed, &plan, kv_state, &model_file, NULL) == HEED_OK);
  CHECK(heed_model_encode_frames(&model, heed_const_dense(input, frames, frame_dim), frames, logits, NULL) == HEED_OK);
  heed_model_observe(&observed, &observer);
  CHECK(heed_model_encode_frames(&observed, heed_const_dense(input, frames, frame_dim), frames, same, NULL) == HEED_OK);
  CHECK(memcmp(same, logits, sizeof same) == 0 && seen.last == same[labels - 1]);
  CHECK(heed_model_encode_frames(&model, heed_const_dense(input, frames, frame_dim), frames + 1, logits, NULL) ==
        HEED_TOO_LARGE);
  CHECK(heed_model_encode_tokens(&model, prompt, 1, logits, NULL) == HEED_PLAN_MISMATCH);
  CHECK(heed_model_prefill(&model, prompt, 1, logits, NULL) == HEED_PLAN_MISMATCH);
  CHECK(heed_model_truncate(&model, 0) == HEED_PLAN_MISMATCH);
  CHECK(heed_model_set_context(&model, heed_const_dense(input, 1, 4), 1, NULL) == HEED_PLAN_MISMATCH);
  CHECK(memcmp(same, logits, sizeof same) == 0);
}

/* A decoder that looks at what an encoder of tokens has made. */
static void test_translator(void) {
  heed_model_config config = decoder(HEED_DATA_TYPE_FLOAT32);
  heed_packed_model model_file;
  heed_block_memory memory = {0};
  heed_model_plan plan;
  static heed_model model;
  float rows[4 * dim];
  float logits[vocabulary];
  float other[vocabulary];
  memory.rows = memory.max_keys = 4;
  memory.max_cross_keys = 4;
  config.encoder = true;
  config.outputs = 0;
  config.pooling = HEED_POOLING_EVERY;
  model_file = packed(&config, NULL, 0);
  CHECK(heed_plan_model(&config, &memory, &plan) == HEED_OK);
  CHECK(start(heed_model_init, &model, &plan, kv_state, &model_file, NULL) == HEED_OK);
  CHECK(heed_model_encode_tokens(&model, prompt, 4, rows, NULL) == HEED_OK);

  config = decoder(HEED_DATA_TYPE_FLOAT32);
  config.block.cross_dim = dim;
  model_file = packed(&config, NULL, 0);
  CHECK(heed_plan_model(&config, &memory, &plan) == HEED_OK && plan.state_bytes <= sizeof kv_state);
  CHECK(start(heed_model_init, &model, &plan, kv_state, &model_file, NULL) == HEED_OK);
  CHECK(heed_model_decode(&model, 1, logits, NULL) == HEED_NOT_INITIALISED);
  CHECK(heed_model_set_context(&model, heed_const_dense(rows, 4, dim), 5, NULL) == HEED_CACHE_FULL);
  CHECK(heed_model_set_context(&model, heed_const_dense(rows, 4, dim), 4, NULL) == HEED_OK);
  CHECK(heed_model_decode(&model, 1, logits, NULL) == HEED_OK);
  CHECK(heed_model_set_context(&model, heed_const_dense(rows, 4, dim), 1, NULL) == HEED_OK);
  CHECK(heed_model_truncate(&model, 0) == HEED_OK && heed_model_decode(&model, 1, other, NULL) == HEED_OK);
  CHECK(memcmp(logits, other, sizeof other) != 0);
}

int main(void) {
  test_decoder();
  test_kv_decoder();
  test_encoder();
  test_translator();
  return report();
}
