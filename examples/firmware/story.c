/* SPDX-License-Identifier: MIT
 *
 * The story teller of story.cpp in C: the same calls, the same bits, the same text. */
#include <board.h>
#include <story_model.h>
#include <story_tokenizer.h>

#include "heed/heed.h"

/* What `heed plan story_model.heed --max-keys 256 --kv-type int8 --scratch-budget 4096` says of int8 weights; other
 * types need no more. */
enum { max_tokens = 256, state_bytes = 164160, scratch_bytes = 15808, vocabulary = 512 };
static const char prompt[] = "Once upon a time";

HEED_ALIGNED static unsigned char state[state_bytes];
HEED_ALIGNED static unsigned char scratch[scratch_bytes];
static heed_model_plan plan;
static heed_model model;
static float logits[vocabulary];

/* What became of a story. */
static uint32_t tokens_read;
static uint64_t hash = 0xCBF29CE484222325U; /* of all logits: FNV-1a over their bytes, little-endian */
static uint64_t instructions;

static heed_status start_model(void) {
  const heed_format* const formats[] = {&heed_int8_weights, &heed_int8_integer_weights};
  const heed_kv_storage storage = {{&heed_int8_cache, &heed_int8_integer_cache, NULL}, NULL, NULL};
  const heed_packed_model file = {story_model, sizeof story_model, formats, 2, NULL};
  heed_block_memory memory = {0};
  heed_status status;
  memory.max_keys = max_tokens;
  memory.scratch_budget = 4096;
  /* Where products are in integers, so is attention. */
  memory.key_type =
      story_model_config.block.row_type == HEED_DATA_TYPE_FLOAT32 ? HEED_DATA_TYPE_INT8 : HEED_DATA_TYPE_INT8_INTEGER;
  memory.value_type = memory.key_type;
  status = heed_plan_model(&story_model_config, &memory, &plan);
  if (status != HEED_OK) return status;
  if (plan.config.outputs != vocabulary) return HEED_BAD_LENGTH;
  return heed_model_init(&model, &plan, state, sizeof state, scratch, sizeof scratch, &file, &storage);
}

static void print_piece(const heed_tokenizer* words, uint32_t previous, uint32_t token) {
  size_t length;
  const char* const piece = heed_tokenizer_decode(words, previous, token, &length);
  for (size_t i = 0; i < length; ++i) {
    const char text[] = {piece[i], '\0'};
    board_print(text);
  }
}

static heed_status read_tokens(const uint32_t* tokens, uint32_t count) {
  const uint64_t start = board_count();
  const heed_status status = heed_model_prefill(&model, tokens, count, logits, NULL);
  const unsigned char* const bytes = (const unsigned char*)logits;
  instructions += board_count() - start;
  for (size_t i = 0; i < sizeof logits; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3U;
  tokens_read += count;
  return status;
}

static heed_status write_story(const heed_tokenizer* words) {
  uint32_t tokens[HEED_ENCODE_WORDS(sizeof prompt - 1)];
  uint32_t count = 0;
  uint32_t last;
  heed_status status =
      heed_tokenizer_encode(words, prompt, sizeof prompt - 1, tokens, sizeof tokens / sizeof *tokens, &count);
  if (status != HEED_OK) return status;
  for (uint32_t i = 1; i < count; ++i) print_piece(words, tokens[i - 1], tokens[i]);
  status = read_tokens(tokens, count);
  last = tokens[count - 1];
  while (status == HEED_OK) {
    const uint32_t token = heed_argmax(logits, vocabulary);
    if (token == HEED_BEGIN_TOKEN || token == HEED_END_TOKEN) break;
    print_piece(words, last, token);
    if (tokens_read == STORY_TOKENS) break;
    status = read_tokens(&token, 1);
    last = token;
  }
  return status;
}

int main(void) {
  heed_tokenizer words = {0};
  heed_status status;
  uint64_t per_token;
  if (!heed_float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  status = heed_tokenizer_bind(&words, story_tokenizer, sizeof story_tokenizer);
  if (status == HEED_OK) status = start_model();
  if (status == HEED_OK) status = write_story(&words);

  board_print("\n");
  board_print(heed_status_to_string(status));
  board_print("; tokens ");
  board_print_number(tokens_read);
  board_print("; hash ");
  board_print_hexadecimal(hash);
  per_token = tokens_read == 0 ? 0 : instructions / tokens_read;
  board_print("\ninstructions per token ");
  board_print_number(per_token);
  board_print("; bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return status == HEED_OK ? 0 : 1;
}
