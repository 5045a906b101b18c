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

/* How the tokenizer of a file that `heed pack --tokenizer` writes reads text. */
HEED_ENUM(heed_tokenizer_kind, TokenizerKind, uint32_t){
    HEED_VALUE(HEED_TOKENIZER_NONE, none),
    HEED_VALUE(HEED_TOKENIZER_CHARACTERS, characters),   /* merges of characters, as sentencepiece's */
    HEED_VALUE(HEED_TOKENIZER_BYTES, bytes),             /* merges of bytes, as GPT-2's */
    HEED_VALUE(HEED_TOKENIZER_WORD_PIECES, word_pieces), /* the longest pieces of words, as BERT's */
    HEED_VALUE(HEED_TOKENIZER_UNIGRAM, unigram)          /* the pieces of the greatest score, as T5's */
};

/* What such a file holds, or why it is none. */
HEED_STRUCT(heed_text_tokenizer_file, TextTokenizerFile) {
  heed_status status HEED_ZERO;
  const char* field HEED_ZERO; /* what is wrong, in words, in static storage */
  heed_tokenizer_kind kind HEED_ZERO;
  uint32_t tokens HEED_ZERO;    /* numbers of tokens are below it */
  uint32_t max_bytes HEED_ZERO; /* of the longest piece */
};

#define HEED_MAX_TEMPLATE_TOKENS 16 /* in front of a text, and as many after it */

/* Words that heed_encode_text() works in for any text of so many bytes; a constant where `text_bytes` is one. */
#define HEED_TEXT_WORDS(text_bytes) (18 * (text_bytes) + 48)

/* A tokenizer in its file, and the state of a text that is decoded. Both must be zero until they are bound, and may be
 * copied. */
#ifdef HEED_CPP
namespace heed {
class TextTokenizer;
class TextDecoder;
}  // namespace heed
using heed_text_tokenizer = heed::TextTokenizer;
using heed_text_decoder = heed::TextDecoder;
#else
typedef struct heed_text_tokenizer {
  const void* file;
} heed_text_tokenizer;
typedef struct heed_text_decoder {
  heed_text_tokenizer tokenizer;
  unsigned char state[8];
} heed_text_decoder;
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
  uint32_t top_k HEED_ZERO;    /* only the top_k likeliest; 0: all */
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

/* The same for a file that `heed pack --tokenizer` writes, at an address that is a multiple of 4.
 * Statuses: HEED_NULL_POINTER, HEED_TOO_LARGE (2^31 bytes or more), HEED_ARENA_MISALIGNED, HEED_BAD_FILE. */
HEED_MUST_USE heed_status heed_read_text_tokenizer(const void* file, size_t file_bytes, heed_text_tokenizer_file* read);
HEED_MUST_USE heed_status heed_text_tokenizer_bind(heed_text_tokenizer* tokenizer, const void* file, size_t file_bytes);

/* Where such a file lies in that of a model, which `heed pack FOLDER` puts after the model itself, from the next
 * multiple of 64 bytes to the end. Writes the address to *tokenizer and its bytes to *tokenizer_bytes; null and 0 where
 * the file ends with the model. heed_read_model() and heed_read_text_tokenizer() check what the two say. Statuses:
 * HEED_NULL_POINTER, HEED_ARENA_MISALIGNED (the address is no multiple of 4), HEED_BAD_FILE (no model, not all of one,
 * or something else after it). */
HEED_MUST_USE heed_status heed_tokenizer_of(const void* model, size_t model_bytes, const void** tokenizer,
                                            size_t* tokenizer_bytes);

/* 0 before bind: what the file says, how many tokens the template puts after a whole text (a prompt, which goes on, is
 * without them), whether generation ends at a token, and bytes that hold the text of any. */
heed_tokenizer_kind heed_text_tokenizer_kind(const heed_text_tokenizer* tokenizer);
uint32_t heed_text_tokenizer_tokens(const heed_text_tokenizer* tokenizer);
uint32_t heed_text_tokenizer_end_tokens(const heed_text_tokenizer* tokenizer);
int heed_ends_text(const heed_text_tokenizer* tokenizer, uint32_t token);
size_t heed_decode_bytes(const heed_text_tokenizer* tokenizer);

/* Writes the tokens of a text to the front of words [word_count], with those of the template if `whole` is not 0, and
 * how many there are to *count. Each function reads one kind of tokenizer, heed_encode_text() all; text.hpp says more.
 * Statuses: HEED_NOT_INITIALISED, HEED_NULL_POINTER, HEED_BAD_OPTION (a tokenizer of another kind), HEED_BAD_LENGTH
 * (too few words, which HEED_TEXT_WORDS(text_bytes) never are, or 2^26 bytes or more). */
HEED_MUST_USE heed_status heed_encode_characters(const heed_text_tokenizer* tokenizer, const char* text,
                                                 size_t text_bytes, int whole, uint32_t* words, size_t word_count,
                                                 uint32_t* count);
HEED_MUST_USE heed_status heed_encode_bytes(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes,
                                            int whole, uint32_t* words, size_t word_count, uint32_t* count);
HEED_MUST_USE heed_status heed_encode_word_pieces(const heed_text_tokenizer* tokenizer, const char* text,
                                                  size_t text_bytes, int whole, uint32_t* words, size_t word_count,
                                                  uint32_t* count);
HEED_MUST_USE heed_status heed_encode_unigram(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes,
                                              int whole, uint32_t* words, size_t word_count, uint32_t* count);
HEED_MUST_USE heed_status heed_encode_text(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes,
                                           int whole, uint32_t* words, size_t word_count, uint32_t* count);

/* Text from one token after another, in whole characters: *count bytes of text [room], which is at least
 * heed_decode_bytes(). Special tokens are shown if `special` is not 0. finish writes what is left of the last one.
 * Statuses: HEED_NOT_INITIALISED, HEED_NULL_POINTER, HEED_BAD_LENGTH (room), HEED_BAD_TOKEN. */
HEED_MUST_USE heed_status heed_text_decoder_bind(heed_text_decoder* decoder, const heed_text_tokenizer* tokenizer,
                                                 int special);
HEED_MUST_USE heed_status heed_text_decoder_decode(heed_text_decoder* decoder, uint32_t token, char* text, size_t room,
                                                   size_t* count);
HEED_MUST_USE heed_status heed_text_decoder_finish(heed_text_decoder* decoder, char* text, size_t room, size_t* count);

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
 * logits or more), HEED_BAD_OPTION (a number of the configuration lies outside its range), HEED_NOT_FINITE (every logit
 * is NaN or -inf). */
HEED_MUST_USE heed_status heed_sample_token(const heed_sampling* config, float* logits, size_t count, uint32_t* order,
                                            size_t order_count, heed_random_bits* random, uint32_t* token);

#ifdef __cplusplus
}
#endif
#endif
