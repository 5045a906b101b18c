// SPDX-License-Identifier: MIT
#include "heed/text.hpp"

namespace heed {

Status encode_text(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                   std::span<std::uint32_t> words, std::uint32_t& count) noexcept {
  if (tokenizer.kind() == TokenizerKind::none) return Status::not_initialised;
  if (tokenizer.kind() == TokenizerKind::characters) return encode_characters(tokenizer, text, whole, words, count);
  if (tokenizer.kind() == TokenizerKind::bytes) return encode_bytes(tokenizer, text, whole, words, count);
  if (tokenizer.kind() == TokenizerKind::unigram) return encode_unigram(tokenizer, text, whole, words, count);
  return encode_word_pieces(tokenizer, text, whole, words, count);
}

}  // namespace heed
