// SPDX-License-Identifier: MIT
//
// What a language model writes after a prompt, the likeliest token each time, on the console as it is made. An image
// with PRINT_STAGES 1 prints its stages alone.
#pragma once

#include <board.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/heed.hpp"
#include "heed/text.hpp"
#include "models.hpp"

namespace models {

/// What became of one text, or of several.
struct Text {
  heed::Status status = heed::Status::ok;
  std::uint32_t tokens = 0;         ///< that went through the model
  std::uint64_t hash = hash_begin;  ///< of all logits
  std::uint64_t count = 0;          ///< instructions
};

inline void print(std::span<const char> piece) {
  if (PRINT_STAGES) return;
  for (const char character : piece) {
    const char text[] = {character, '\0'};
    board_print(text);
  }
}

/// Words of a vocabulary in the format of llama2.c.
class Vocabulary {
 public:
  heed::Status bind(std::span<const std::byte> file) { return tokenizer_.bind(file); }

  /// Another text begins.
  heed::Status encode(std::span<const char> text, std::span<std::uint32_t> words, std::uint32_t& count) {
    last_ = none;
    return tokenizer_.encode(text, words, count);
  }
  [[nodiscard]] bool ends_text(std::uint32_t token) const {
    return token == heed::Tokenizer::begin_token || token == heed::Tokenizer::end_token;
  }
  heed::Status show(std::uint32_t token) {
    if (last_ != none) print(tokenizer_.decode(last_, token));
    last_ = token;
    return heed::Status::ok;
  }
  heed::Status finish() { return heed::Status::ok; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  heed::Tokenizer tokenizer_;
  std::uint32_t last_ = none;
};

/// Words of a tokenizer of characters, as `heed pack FOLDER` puts it after the model into its file.
class OwnTokenizer {
 public:
  /// room: for the text of one token, of at least TextTokenizer::decode_bytes().
  explicit OwnTokenizer(std::span<char> room) : room_(room) {}

  /// bad_file: there is none in it.
  heed::Status bind(std::span<const std::byte> model_file) {
    std::span<const std::byte> found;
    heed::Status status = heed::tokenizer_of(model_file, found);
    if (status == heed::Status::ok) status = found.empty() ? heed::Status::bad_file : tokenizer_.bind(found);
    return status == heed::Status::ok ? decoder_.bind(tokenizer_, false) : status;
  }

  heed::Status encode(std::span<const char> text, std::span<std::uint32_t> words, std::uint32_t& count) {
    return heed::encode_characters(tokenizer_, text, true, words, count);
  }
  [[nodiscard]] bool ends_text(std::uint32_t token) const { return tokenizer_.ends_text(token); }
  heed::Status show(std::uint32_t token) {
    std::size_t bytes = 0;
    const heed::Status status = decoder_.decode(token, room_, bytes);
    if (status == heed::Status::ok) print(room_.first(bytes));
    return status;
  }
  heed::Status finish() {
    std::size_t bytes = 0;
    const heed::Status status = decoder_.finish(room_, bytes);
    if (status == heed::Status::ok) print(room_.first(bytes));
    return status;
  }

 private:
  heed::TextTokenizer tokenizer_;
  heed::TextDecoder decoder_;
  std::span<char> room_;
};

inline void read(heed::Model& model, std::span<const std::uint32_t> tokens, std::span<float> logits, Text& text) {
  const std::uint64_t start = board_count();
  text.status = model.prefill(tokens, logits.data());
  text.count += board_count() - start;
  text.hash = hash_of(logits.data(), logits.size(), text.hash);
  text.tokens += static_cast<std::uint32_t>(tokens.size());
}

/// The prompt, and what follows until the text ends or the model has read `most` tokens. logits: [outputs]; buffer:
/// what the encoding of the prompt works in.
template <class Words>
void write(heed::Model& model, Words& words, std::span<const char> prompt, std::uint32_t most,
           std::span<std::uint32_t> buffer, std::span<float> logits, Text& text) {
  std::uint32_t count = 0;
  text.status = words.encode(prompt, buffer, count);
  for (std::uint32_t i = 0; i < count && text.status == heed::Status::ok; ++i) text.status = words.show(buffer[i]);
  if (text.status == heed::Status::ok) read(model, buffer.first(count), logits, text);
  while (text.status == heed::Status::ok) {
    const std::uint32_t token = heed::argmax(logits.data(), static_cast<std::uint32_t>(logits.size()));
    if (words.ends_text(token)) break;
    text.status = words.show(token);
    if (text.status != heed::Status::ok || model.tokens() == most) break;
    read(model, {&token, 1}, logits, text);
  }
  if (text.status == heed::Status::ok) text.status = words.finish();
  board_print("\n");
}

/// Two lines: what every processor has the same of, and its own figures.
inline void print_summary(const Text& text, std::uint32_t parameters) {
  board_print(heed::to_string(text.status));
  board_print("; tokens ");
  board_print_number(text.tokens);
  board_print("; hash ");
  board_print_hexadecimal(text.hash);
  const std::uint64_t per_token = text.tokens == 0 ? 0 : text.count / text.tokens;
  board_print("\ninstructions per token ");
  board_print_number(per_token);
  board_print(", per token and parameter ");
  print_decimal(static_cast<std::uint32_t>(per_token * 100 / parameters), 2);
  board_print("; bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
}

}  // namespace models
