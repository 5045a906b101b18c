/* SPDX-License-Identifier: MIT
 *
 * Text to tokens and back, with the vocabularies that llama2.c writes; tokenizer.hpp says more, also about the file.
 */
#ifndef HEED_HEED_TOKENIZER_H
#define HEED_HEED_TOKENIZER_H

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

#ifdef __cplusplus
}
#endif
#endif
