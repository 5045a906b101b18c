// SPDX-License-Identifier: MIT
//
// The C interface of the tokenizer, of logits and of sampling.
#include <cstddef>
#include <cstdint>
#include <span>

#include "c/c_api_calls.hpp"
#include "heed/heed_text.h"
#include "heed/text.hpp"

using heed::Status;
using heed::Tokenizer;
using heed::detail::memory_of;

static_assert(sizeof(Tokenizer) == 2 * sizeof(void*) + 2 * sizeof(uint32_t));  // as C has it
static_assert(HEED_BEGIN_TOKEN == Tokenizer::begin_token && HEED_END_TOKEN == Tokenizer::end_token);
static_assert(HEED_ENCODE_WORDS(7) == Tokenizer::encode_words(7));

heed_status heed_read_tokenizer(const void* file, size_t file_bytes, heed_tokenizer_file* read) {
  if (read == nullptr) return Status::null_pointer;
  *read = heed::read_tokenizer(memory_of(file, file_bytes));
  return read->status;
}

heed_status heed_tokenizer_bind(heed_tokenizer* tokenizer, const void* file, size_t file_bytes) {
  return tokenizer == nullptr ? Status::null_pointer : tokenizer->bind(memory_of(file, file_bytes));
}

uint32_t heed_tokenizer_tokens(const heed_tokenizer* tokenizer) {
  return tokenizer == nullptr ? 0 : tokenizer->tokens();
}

const char* heed_tokenizer_decode(const heed_tokenizer* tokenizer, uint32_t previous, uint32_t token, size_t* length) {
  std::span<const char> text;
  if (tokenizer != nullptr && length != nullptr) text = tokenizer->decode(previous, token);
  if (length != nullptr) *length = text.size();
  return text.data();
}

heed_status heed_tokenizer_encode(const heed_tokenizer* tokenizer, const char* text, size_t text_bytes, uint32_t* words,
                                  size_t word_count, uint32_t* count) {
  if (tokenizer == nullptr || count == nullptr) return Status::null_pointer;
  return tokenizer->encode(std::span(text, text_bytes), std::span(words, word_count), *count);
}

static_assert(sizeof(heed::TextTokenizer) == sizeof(void*));  // as C has it
static_assert(sizeof(heed::TextDecoder) == sizeof(void*) + 8);
static_assert(HEED_TEXT_WORDS(7) == heed::text_words(7));

heed_status heed_read_text_tokenizer(const void* file, size_t file_bytes, heed_text_tokenizer_file* read) {
  if (read == nullptr) return Status::null_pointer;
  *read = heed::read_text_tokenizer(memory_of(file, file_bytes));
  return read->status;
}

heed_status heed_text_tokenizer_bind(heed_text_tokenizer* tokenizer, const void* file, size_t file_bytes) {
  return tokenizer == nullptr ? Status::null_pointer : tokenizer->bind(memory_of(file, file_bytes));
}

heed_status heed_tokenizer_of(const void* model, size_t model_bytes, const void** tokenizer, size_t* tokenizer_bytes) {
  if (tokenizer == nullptr || tokenizer_bytes == nullptr) return Status::null_pointer;
  std::span<const std::byte> found;
  const Status status = heed::tokenizer_of(memory_of(model, model_bytes), found);
  *tokenizer = found.data();
  *tokenizer_bytes = found.size();
  return status;
}

heed_tokenizer_kind heed_text_tokenizer_kind(const heed_text_tokenizer* tokenizer) {
  return tokenizer == nullptr ? heed_tokenizer_kind::none : tokenizer->kind();
}

uint32_t heed_text_tokenizer_tokens(const heed_text_tokenizer* tokenizer) {
  return tokenizer == nullptr ? 0 : tokenizer->tokens();
}

uint32_t heed_text_tokenizer_end_tokens(const heed_text_tokenizer* tokenizer) {
  return tokenizer == nullptr ? 0 : tokenizer->end_tokens();
}

int heed_ends_text(const heed_text_tokenizer* tokenizer, uint32_t token) {
  return tokenizer != nullptr && tokenizer->ends_text(token) ? 1 : 0;
}

size_t heed_decode_bytes(const heed_text_tokenizer* tokenizer) {
  return tokenizer == nullptr ? 0 : tokenizer->decode_bytes();
}

heed_status heed_encode_characters(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes, int whole,
                                   uint32_t* words, size_t word_count, uint32_t* count) {
  if (tokenizer == nullptr || count == nullptr) return Status::null_pointer;
  return heed::encode_characters(*tokenizer, {text, text_bytes}, whole != 0, {words, word_count}, *count);
}

heed_status heed_encode_bytes(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes, int whole,
                              uint32_t* words, size_t word_count, uint32_t* count) {
  if (tokenizer == nullptr || count == nullptr) return Status::null_pointer;
  return heed::encode_bytes(*tokenizer, {text, text_bytes}, whole != 0, {words, word_count}, *count);
}

heed_status heed_encode_word_pieces(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes,
                                    int whole, uint32_t* words, size_t word_count, uint32_t* count) {
  if (tokenizer == nullptr || count == nullptr) return Status::null_pointer;
  return heed::encode_word_pieces(*tokenizer, {text, text_bytes}, whole != 0, {words, word_count}, *count);
}

heed_status heed_encode_unigram(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes, int whole,
                                uint32_t* words, size_t word_count, uint32_t* count) {
  if (tokenizer == nullptr || count == nullptr) return Status::null_pointer;
  return heed::encode_unigram(*tokenizer, {text, text_bytes}, whole != 0, {words, word_count}, *count);
}

heed_status heed_encode_text(const heed_text_tokenizer* tokenizer, const char* text, size_t text_bytes, int whole,
                             uint32_t* words, size_t word_count, uint32_t* count) {
  if (tokenizer == nullptr || count == nullptr) return Status::null_pointer;
  return heed::encode_text(*tokenizer, {text, text_bytes}, whole != 0, {words, word_count}, *count);
}

heed_status heed_text_decoder_bind(heed_text_decoder* decoder, const heed_text_tokenizer* tokenizer, int special) {
  if (decoder == nullptr || tokenizer == nullptr) return Status::null_pointer;
  return decoder->bind(*tokenizer, special != 0);
}

heed_status heed_text_decoder_decode(heed_text_decoder* decoder, uint32_t token, char* text, size_t room,
                                     size_t* count) {
  if (decoder == nullptr || count == nullptr) return Status::null_pointer;
  return decoder->decode(token, {text, room}, *count);
}

heed_status heed_text_decoder_finish(heed_text_decoder* decoder, char* text, size_t room, size_t* count) {
  if (decoder == nullptr || count == nullptr) return Status::null_pointer;
  return decoder->finish({text, room}, *count);
}

heed_status heed_softmax(const float* logits, uint32_t count, float temperature, float* probabilities) {
  return heed::softmax(logits, count, temperature, probabilities);
}

uint32_t heed_argmax(const float* logits, uint32_t count) {
  return logits == nullptr ? 0 : heed::argmax(logits, count);
}

heed_status heed_top_k(const float* logits, uint32_t count, uint32_t k, uint32_t* indices) {
  return heed::top_k(logits, count, k, indices);
}

static_assert(sizeof(heed::RandomBits) == sizeof(uint64_t));  // as C has it

void heed_seed_random(heed_random_bits* random, uint64_t seed) {
  if (random != nullptr) *random = heed::RandomBits(seed);
}

uint32_t heed_random_next(heed_random_bits* random) {
  return random == nullptr ? 0 : random->next();
}

heed_status heed_sample_token(const heed_sampling* config, float* logits, size_t count, uint32_t* order,
                              size_t order_count, heed_random_bits* random, uint32_t* token) {
  if (config == nullptr || random == nullptr || token == nullptr) return heed::Status::null_pointer;
  return heed::sample_token(*config, std::span(logits, count), std::span(order, order_count), *random, *token);
}
