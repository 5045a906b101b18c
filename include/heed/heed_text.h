/* SPDX-License-Identifier: MIT
 *
 * Text to tokens and back, probabilities, and a token drawn from them; text.hpp says more, also about the file.
 */
#ifndef HEED_HEED_TEXT_H
#define HEED_HEED_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_types.h"

#define HEED_BEGIN_TOKEN 1 /* begins a text */
#define HEED_END_TOKEN 2   /* ends one */

/* Words that heed_tokenizer_encode() works in for a text of so many bytes; a constant where `text_bytes` is one. */
#define HEED_ENCODE_WORDS(text_bytes) (2 * (text_bytes) + 3)

/* What a tokenizer file holds, or why it is none. The file is little-endian: int32 bytes of the longest piece; then
 * for each token float32 score, int32 bytes, the bytes. Token 0 is the unknown one, 1 begins a text, 2 ends it, and 3
 * + b is the byte b, with the piece "<0xNN>". */
HEED_STRUCT(heed_tokenizer_file, TokenizerFile) {
  heed_status status HEED_ZERO;
  const char* field HEED_ZERO;  /* what is wrong, in words, in static storage */
  uint32_t token HEED_ZERO;     /* of which token */
  uint32_t tokens HEED_ZERO;    /* in the vocabulary */
  uint32_t max_bytes HEED_ZERO; /* of the longest piece */
};

/* A vocabulary in its file, which stays where it is, in flash for example. Only bind changes the object; it must be
 * zero until then, and may be copied. */
#ifdef HEED_CPP
namespace heed {
class Tokenizer;
}
using heed_tokenizer = heed::Tokenizer;
#else
typedef struct heed_tokenizer {
  const void* file;
  size_t file_bytes;
  uint32_t numbers[2];
} heed_tokenizer;
#endif

/* Random numbers: PCG32, from integers alone. heed_seed_random() comes first. */
#ifdef HEED_CPP
namespace heed {
class RandomBits;
}
using heed_random_bits = heed::RandomBits;
#else
typedef struct heed_random_bits {
  uint64_t state;
} heed_random_bits;
#endif

/* Which tokens may be drawn, and how likely. The temperature comes first, then top_k, then top_p of what is left. Zeros
 * take the likeliest token. */
HEED_STRUCT(heed_sampling, Sampling) {
  float temperature HEED_ZERO; /* divides the logits: 0, which takes the likeliest token, or 0.001 to 1000 */
  uint32_t top_k HEED_ZERO;    /* only the so many likeliest; 0: all */
  float top_p HEED_ZERO;       /* the fewest likeliest whose probabilities reach it, 0 to 1; at least one; 0 means 1 */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Checks every field of a file, which may lie at any address, and writes what it holds; bind keeps it.
 * Statuses: HEED_NULL_POINTER, HEED_TOO_LARGE (2^31 bytes or more), HEED_BAD_FILE. heed_read_tokenizer() then says in
 * *read what is wrong. */
HEED_MUST_USE heed_status heed_read_tokenizer(const void* file, size_t file_bytes, heed_tokenizer_file* read);
HEED_MUST_USE heed_status heed_tokenizer_bind(heed_tokenizer* tokenizer, const void* file, size_t file_bytes);

/* Tokens in the vocabulary; 0 before bind. */
uint32_t heed_tokenizer_tokens(const heed_tokenizer* tokenizer);

/* The text of a token after another: *length bytes in the file or in static storage, without a 0 at their end. A piece
 * after HEED_BEGIN_TOKEN loses its leading space. Null and 0 bytes: there is no such token, or one of the pointers is
 * null. */
const char* heed_tokenizer_decode(const heed_tokenizer* tokenizer, uint32_t previous, uint32_t token, size_t* length);

/* Writes the tokens of a text in UTF-8 to the front of words [word_count], HEED_BEGIN_TOKEN first, and how many there
 * are to *count. word_count is at least HEED_ENCODE_WORDS(text_bytes).
 * Statuses: HEED_NOT_INITIALISED, HEED_NULL_POINTER, HEED_BAD_LENGTH (too few words, or 2^30 bytes or more). */
HEED_MUST_USE heed_status heed_tokenizer_encode(const heed_tokenizer* tokenizer, const char* text, size_t text_bytes,
                                                uint32_t* words, size_t word_count, uint32_t* count);

/* probabilities[i] = e^(logits[i] / temperature) / their sum, for logits [count]; probabilities [count] are the logits
 * themselves or do not overlap them. count is at most 2^24, temperature from 2^-126 to 2^126.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SCALE (temperature), HEED_NULL_POINTER. */
HEED_MUST_USE heed_status heed_softmax(const float* logits, uint32_t count, float temperature, float* probabilities);

/* The index of the greatest of logits [count], the lowest among equals; NaN is less than any number. 0 if there is no
 * number, and for null logits. */
uint32_t heed_argmax(const float* logits, uint32_t count);

/* indices [k]: those of the k greatest of logits [count], in descending order of the logits and ascending among equals.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE (count above 2^24), HEED_BAD_LENGTH (k above count),
 * HEED_NULL_POINTER. */
HEED_MUST_USE heed_status heed_top_k(const float* logits, uint32_t count, uint32_t k, uint32_t* indices);

void heed_seed_random(heed_random_bits* random, uint64_t seed);

/* The next 32 bits; 0 for a null pointer. */
uint32_t heed_random_next(heed_random_bits* random);

/* Draws a token, and writes it to *token. logits [count] become weights, and order [order_count], at least count, is
 * room to sort in; a temperature of 0 changes neither, and draws no random number; any other draws one.
 * Statuses: HEED_ZERO_DIMENSION (no logits), HEED_NULL_POINTER, HEED_BAD_LENGTH (fewer places in `order`, or 2^31
 * logits or more), HEED_BAD_OPTION (a number of the configuration lies outside its range). */
HEED_MUST_USE heed_status heed_sample_token(const heed_sampling* config, float* logits, size_t count, uint32_t* order,
                                            size_t order_count, heed_random_bits* random, uint32_t* token);

#ifdef __cplusplus
}
#endif
#endif
