// SPDX-License-Identifier: MIT
//
// A text model on a board: model and vocabulary in flash, a prompt, and what the model writes after it on the console.
// Of a board it asks for board_print(), which writes text to a serial line.
//
// Prints 27+59=86
#include "heed/text.hpp"

#include <board.h>
#include <sums_model.h>
#include <sums_tokenizer.h>

#include <span>
#include <string_view>

#include "heed/heed.hpp"

constexpr std::string_view prompt = "27+59=";
constexpr heed::ModelPlan plan = heed::plan(sums_model_config, {.max_keys = 12, .scratch_budget = 2048});
static heed::StaticArena<plan.state_bytes> state;
static heed::StaticArena<plan.scratch_bytes> scratch;
static heed::Model model;
static float logits[sums_model_config.outputs];

static void print(std::span<const char> piece) {
  for (const char character : piece) {
    const char text[] = {character, '\0'};
    board_print(text);
  }
}

int main() {
  if (!heed::float_environment_is_standard()) return 1;  // the FPU rounds otherwise, or flushes subnormal numbers
  const heed::Format* const formats[] = {&heed::int8_weights};
  heed::Tokenizer words;
  heed::Status status = words.bind(std::as_bytes(std::span(sums_tokenizer)));
  if (status == heed::Status::ok) {
    status = model.init(plan, state, scratch, {std::as_bytes(std::span(sums_model)), formats});
  }
  std::uint32_t tokens[heed::Tokenizer::encode_words(prompt.size())];
  std::uint32_t count = 0;
  if (status == heed::Status::ok) status = words.encode(prompt, tokens, count);
  if (status == heed::Status::ok) status = model.prefill(std::span(tokens).first(count), logits);
  std::uint32_t last = status == heed::Status::ok ? tokens[count - 1] : 0;
  print(prompt);
  while (status == heed::Status::ok) {
    const std::uint32_t token = heed::argmax(logits, sums_model_config.outputs);
    if (token == heed::Tokenizer::begin_token || token == heed::Tokenizer::end_token) break;
    print(words.decode(last, token));
    last = token;
    status = model.decode(token, logits);
  }
  board_print("\n");
  return status == heed::Status::ok ? 0 : 1;
}
