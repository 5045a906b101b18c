// SPDX-License-Identifier: MIT
//
// The C interface of the tokenizer, by the rules of c_api_calls.hpp.
#include <cstddef>
#include <cstdint>
#include <span>

#include "c/c_api_calls.hpp"
#include "heed/heed_tokenizer.h"
#include "heed/tokenizer.hpp"

namespace heed::detail {

static_assert(same_size<heed_tokenizer, Tokenizer>);  // the members are private
static_assert(HEED_BEGIN_TOKEN == Tokenizer::begin_token && HEED_END_TOKEN == Tokenizer::end_token);
static_assert(HEED_ENCODE_WORDS(7) == Tokenizer::encode_words(7));

}  // namespace heed::detail

using heed::Tokenizer;
using heed::detail::answer;
using heed::detail::in_place;
using heed::detail::memory_of;

heed_status heed_read_tokenizer(const void* file, size_t file_bytes, heed_tokenizer_file* read) {
  if (read == nullptr) return HEED_NULL_POINTER;
  const heed::TokenizerFile found = heed::read_tokenizer(memory_of(file, file_bytes));
  *read = {found.field, found.token, found.tokens, found.max_bytes};
  return answer(found.status);
}

heed_status heed_tokenizer_bind(heed_tokenizer* tokenizer, const void* file, size_t file_bytes) {
  return heed::detail::use<Tokenizer>(tokenizer,
                                      [&](Tokenizer& object) { return object.bind(memory_of(file, file_bytes)); });
}

const char* heed_tokenizer_decode(const heed_tokenizer* tokenizer, uint32_t previous, uint32_t token, size_t* length) {
  std::span<const char> text;
  if (tokenizer != nullptr && length != nullptr) text = in_place<Tokenizer>(*tokenizer).decode(previous, token);
  if (length != nullptr) *length = text.size();
  return text.data();
}

heed_status heed_tokenizer_encode(const heed_tokenizer* tokenizer, const char* text, size_t text_bytes, uint32_t* words,
                                  size_t word_count, uint32_t* count) {
  if (count == nullptr) return HEED_NULL_POINTER;
  return heed::detail::use<Tokenizer>(tokenizer, [&](const Tokenizer& object) {
    return object.encode(std::span(text, text_bytes), std::span(words, word_count), *count);
  });
}
