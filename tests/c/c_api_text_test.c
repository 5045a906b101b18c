/* SPDX-License-Identifier: MIT
 *
 * The C interface as a C99 program sees it: tokenizer, logits, sampling. */
#include <string.h>

#include "c_check.h"
#include "heed/heed.h"

static unsigned char file[1 << 13];
static size_t file_bytes;

static void add(const void* bytes, size_t count) {
  memcpy(file + file_bytes, bytes, count);
  file_bytes += count;
}

/* Little-endian, as the processors of these tests are. */
static void add_piece(const char* piece, float score) {
  const uint32_t length = (uint32_t)strlen(piece);
  add(&score, 4);
  add(&length, 4);
  add(piece, length);
}

/* Unknown, begin, end, the bytes, and four pieces: the last has the highest score. */
static void write_tokenizer(void) {
  static const char* const pieces[4] = {" ", "a", "b", " ab-ab-"};
  const uint32_t longest = 7;
  file_bytes = 0;
  add(&longest, 4);
  add_piece("<unk>", 0);
  add_piece("<s>", 0);
  add_piece("</s>", 0);
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    snprintf(name, sizeof name, "<0x%02X>", (unsigned)byte);
    add_piece(name, 0);
  }
  for (int i = 0; i < 4; ++i) add_piece(pieces[i], (float)i);
}

static void test_tokenizer(void) {
  heed_tokenizer tokenizer = {0};
  heed_tokenizer_file read;
  uint32_t words[HEED_ENCODE_WORDS(4)];
  uint32_t count = 0;
  size_t length;
  const char* text;
  write_tokenizer();
  CHECK(heed_tokenizer_encode(&tokenizer, "ab", 2, words, 11, &count) == HEED_NOT_INITIALISED);
  CHECK(heed_read_tokenizer(file, file_bytes - 1, &read) == HEED_BAD_FILE && read.token == 262);
  CHECK(heed_tokenizer_bind(&tokenizer, file, file_bytes - 1) == HEED_BAD_FILE &&
        heed_tokenizer_tokens(&tokenizer) == 0);
  CHECK(heed_read_tokenizer(file, file_bytes, &read) == HEED_OK && read.tokens == 263 && read.max_bytes == 7);
  CHECK(read.field[0] == '\0');
  CHECK(heed_tokenizer_bind(&tokenizer, file, file_bytes) == HEED_OK && heed_tokenizer_tokens(&tokenizer) == 263);
  CHECK(heed_tokenizer_encode(&tokenizer, "ab?", 3, words, 11, &count) == HEED_OK && count == 5);
  CHECK(words[0] == HEED_BEGIN_TOKEN && words[1] == 259 && words[2] == 260 && words[3] == 261 && words[4] == 3 + '?');
  CHECK(heed_tokenizer_encode(&tokenizer, "ab?", 3, words, 8, &count) == HEED_BAD_LENGTH);
  text = heed_tokenizer_decode(&tokenizer, HEED_BEGIN_TOKEN, 262, &length);
  CHECK(length == 6 && memcmp(text, "ab-ab-", 6) == 0);
  text = heed_tokenizer_decode(&tokenizer, 4, 262, &length);
  CHECK(length == 7 && memcmp(text, " ab-ab-", 7) == 0);
  text = heed_tokenizer_decode(&tokenizer, 4, 3 + '?', &length);
  CHECK(length == 1 && *text == '?');
  CHECK(heed_tokenizer_decode(&tokenizer, 4, 263, &length) == NULL && length == 0);
}

/* A model of nothing but a header, with or without a tokenizer from the next multiple of 64 bytes on. */
static void test_tokenizer_of(void) {
  static uint32_t words[64 + 32];
  const void* found = words;
  size_t bytes = 1;
  words[0] = 0x4D454548U;
  words[2] = 196;
  words[64] = 0x54454548U;
  words[66] = 128;
  CHECK(heed_tokenizer_of(words, sizeof words, &found, &bytes) == HEED_OK && found == words + 64 && bytes == 128);
  CHECK(heed_tokenizer_of(words, 196, &found, &bytes) == HEED_OK && found == NULL && bytes == 0);
  CHECK(heed_tokenizer_of(words, sizeof words - 4, &found, &bytes) == HEED_BAD_FILE && found == NULL && bytes == 0);
  for (size_t cut = 0; cut < sizeof words; ++cut) {
    CHECK(cut == 196 || heed_tokenizer_of(words, cut, &found, &bytes) == HEED_BAD_FILE);
  }
  CHECK(heed_tokenizer_of(NULL, sizeof words, &found, &bytes) == HEED_NULL_POINTER);
  CHECK(heed_tokenizer_of(words, sizeof words, NULL, &bytes) == HEED_NULL_POINTER);
  CHECK(heed_tokenizer_of(words, sizeof words, &found, NULL) == HEED_NULL_POINTER);
  CHECK(heed_tokenizer_of((const char*)words + 2, 300, &found, &bytes) == HEED_ARENA_MISALIGNED);
  words[63] = 1; /* no zeros between the two */
  CHECK(heed_tokenizer_of(words, sizeof words, &found, &bytes) == HEED_BAD_FILE);
  words[63] = 0;
  words[66] = 127;
  CHECK(heed_tokenizer_of(words, sizeof words, &found, &bytes) == HEED_BAD_FILE);
  words[66] = 128;
  words[2] = 0xFFFFFFFFU;
  CHECK(heed_tokenizer_of(words, sizeof words, &found, &bytes) == HEED_BAD_FILE);
}

typedef heed_status (*encoder)(const heed_text_tokenizer*, const char*, size_t, int, uint32_t*, size_t, uint32_t*);

/* Null pointers, and objects that are bound to nothing. */
static void test_text_tokenizer_refuses(void) {
  static const encoder encoders[5] = {heed_encode_characters, heed_encode_bytes, heed_encode_word_pieces,
                                      heed_encode_unigram, heed_encode_text};
  static uint32_t damaged[32] = {0x54454548U, 1, 128};
  heed_text_tokenizer tokenizer = {0};
  heed_text_decoder decoder = {0};
  heed_text_tokenizer_file read;
  uint32_t words[HEED_TEXT_WORDS(1)];
  uint32_t count = 9;
  size_t bytes = 9;
  char text[16];
  CHECK(heed_read_text_tokenizer(NULL, 128, &read) == HEED_NULL_POINTER && read.field[0] != '\0');
  CHECK(heed_read_text_tokenizer(damaged, sizeof damaged, NULL) == HEED_NULL_POINTER);
  CHECK(heed_read_text_tokenizer(damaged, sizeof damaged, &read) == HEED_BAD_FILE && read.kind == HEED_TOKENIZER_NONE);
  CHECK(heed_text_tokenizer_bind(NULL, damaged, sizeof damaged) == HEED_NULL_POINTER);
  CHECK(heed_text_tokenizer_bind(&tokenizer, NULL, 128) == HEED_NULL_POINTER);
  CHECK(heed_text_tokenizer_bind(&tokenizer, damaged, sizeof damaged) == HEED_BAD_FILE);
  CHECK(heed_text_tokenizer_kind(NULL) == HEED_TOKENIZER_NONE && heed_text_tokenizer_tokens(NULL) == 0);
  CHECK(heed_text_tokenizer_kind(&tokenizer) == HEED_TOKENIZER_NONE && heed_text_tokenizer_tokens(&tokenizer) == 0);
  CHECK(heed_text_tokenizer_end_tokens(NULL) == 0 && heed_text_tokenizer_end_tokens(&tokenizer) == 0);
  CHECK(!heed_ends_text(NULL, 2) && !heed_ends_text(&tokenizer, 2));
  CHECK(heed_decode_bytes(NULL) == 0 && heed_decode_bytes(&tokenizer) == 0);
  for (int i = 0; i < 5; ++i) {
    CHECK(encoders[i](NULL, "a", 1, 1, words, 66, &count) == HEED_NULL_POINTER);
    CHECK(encoders[i](&tokenizer, "a", 1, 1, words, 66, NULL) == HEED_NULL_POINTER);
    CHECK(encoders[i](&tokenizer, "a", 1, 1, words, 66, &count) == HEED_NOT_INITIALISED);
  }
  CHECK(heed_text_decoder_bind(NULL, &tokenizer, 0) == HEED_NULL_POINTER);
  CHECK(heed_text_decoder_bind(&decoder, NULL, 0) == HEED_NULL_POINTER);
  CHECK(heed_text_decoder_bind(&decoder, &tokenizer, 0) == HEED_NOT_INITIALISED);
  CHECK(heed_text_decoder_decode(NULL, 1, text, sizeof text, &bytes) == HEED_NULL_POINTER);
  CHECK(heed_text_decoder_decode(&decoder, 1, text, sizeof text, NULL) == HEED_NULL_POINTER);
  CHECK(heed_text_decoder_decode(&decoder, 1, text, sizeof text, &bytes) == HEED_NOT_INITIALISED);
  CHECK(heed_text_decoder_finish(NULL, text, sizeof text, &bytes) == HEED_NULL_POINTER);
  CHECK(heed_text_decoder_finish(&decoder, text, sizeof text, NULL) == HEED_NULL_POINTER);
  CHECK(heed_text_decoder_finish(&decoder, text, sizeof text, &bytes) == HEED_NOT_INITIALISED);
}

static void test_logits(void) {
  static const float logits[4] = {0, 2, 1, 2};
  static const double expected[4] = {0.0540645922, 0.3994863047, 0.1469627985, 0.3994863047};
  float probabilities[4];
  double sum = 0;
  uint32_t best[2];
  CHECK(heed_argmax(logits, 4) == 1 && heed_argmax(logits, 0) == 0);
  CHECK(heed_softmax(logits, 4, 1, probabilities) == HEED_OK);
  for (int i = 0; i < 4; ++i) sum += (double)probabilities[i];
  CHECK(sum > 0.999999 && sum < 1.000001);
  CHECK(close_to(probabilities, expected, 4));
  CHECK(heed_softmax(logits, 4, 0, probabilities) == HEED_BAD_SCALE);
  CHECK(heed_top_k(logits, 4, 2, best) == HEED_OK && best[0] == 1 && best[1] == 3);
  CHECK(heed_top_k(logits, 4, 5, best) == HEED_BAD_LENGTH);
}

static void test_sampling(void) {
  heed_random_bits random;
  heed_sampling config = {1, 0, 0};
  heed_sampling greedy = {0};
  float logits[4] = {0, 2, 1, 2};
  uint32_t order[4];
  uint32_t drawn[4] = {0};
  uint32_t token = 9;
  heed_seed_random(&random, 42);
  CHECK(heed_random_next(&random) == 0xA15C02B7U); /* what the reference implementation prints */
  CHECK(heed_sample_token(&greedy, logits, 4, order, 4, &random, &token) == HEED_OK && token == 1);
  CHECK(heed_sample_token(&greedy, logits, 4, order, 3, &random, &token) == HEED_BAD_LENGTH);
  CHECK(heed_random_next(&random) == 0x7B47F409U); /* nothing was drawn */
  config.top_k = 3;
  for (int i = 0; i < 1000; ++i) {
    static const float fresh[4] = {0, 2, 1, 2};
    memcpy(logits, fresh, sizeof logits);
    CHECK(heed_sample_token(&config, logits, 4, order, 4, &random, &token) == HEED_OK && token < 4);
    ++drawn[token & 3];
  }
  CHECK(drawn[0] == 0 && drawn[1] > 350 && drawn[2] > 100 && drawn[3] > 350);
  config.temperature = -1;
  CHECK(heed_sample_token(&config, logits, 4, order, 4, &random, &token) == HEED_BAD_OPTION);
}

int main(void) {
  test_tokenizer();
  test_tokenizer_of();
  test_text_tokenizer_refuses();
  test_logits();
  test_sampling();
  return report();
}
