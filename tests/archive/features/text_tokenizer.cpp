// SPDX-License-Identifier: MIT
#include "heed/text.hpp"

/// One kind of tokenizer, as HEED_STORAGE names it.
extern "C" heed::Status probe(std::span<const std::byte> file, std::span<const char> text,
                              std::span<std::uint32_t> words, std::uint32_t& count) {
  heed::TextTokenizer tokenizer;
  const heed::Status status = tokenizer.bind(file);
  return status == heed::Status::ok ? heed::HEED_STORAGE(tokenizer, text, true, words, count) : status;
}
