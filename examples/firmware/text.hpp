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

inline void print_piece(const heed::Tokenizer& words, std::uint32_t previous, std::uint32_t token) {
  if (PRINT_STAGES) return;
  for (const char character : words.decode(previous, token)) {
    const char text[] = {character, '\0'};
    board_print(text);
  }
}

void read(heed::Model& model, std::span<const std::uint32_t> tokens, std::span<float> logits, Text& text) {
  const std::uint64_t start = board_count();
  text.status = model.prefill(tokens, logits.data());
  text.count += board_count() - start;
  text.hash = hash_of(logits.data(), logits.size(), text.hash);
  text.tokens += static_cast<std::uint32_t>(tokens.size());
}

/// The prompt, and what follows until the text ends or the model has read `most` tokens. logits: [outputs]; buffer: at
/// least encode_words() of the prompt's bytes.
void write(heed::Model& model, const heed::Tokenizer& words, std::span<const char> prompt, std::uint32_t most,
           std::span<std::uint32_t> buffer, std::span<float> logits, Text& text) {
  std::uint32_t count = 0;
  text.status = words.encode(prompt, buffer, count);
  if (text.status != heed::Status::ok) return;
  for (std::uint32_t i = 1; i < count; ++i) print_piece(words, buffer[i - 1], buffer[i]);
  std::uint32_t last = buffer[count - 1];
  read(model, buffer.first(count), logits, text);
  while (text.status == heed::Status::ok) {
    const std::uint32_t token = heed::argmax(logits.data(), static_cast<std::uint32_t>(logits.size()));
    if (token == heed::Tokenizer::begin_token || token == heed::Tokenizer::end_token) break;
    print_piece(words, last, token);
    if (model.tokens() == most) break;
    read(model, {&token, 1}, logits, text);
    last = token;
  }
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
