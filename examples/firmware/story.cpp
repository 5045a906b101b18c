// SPDX-License-Identifier: MIT
//
// A language model of 260,032 parameters as firmware: weights and vocabulary in flash, keys and values of 256 tokens in
// eight bits, and the text on the console as it is made. It runs on every board and on the desktop, with the same bits.
#include <board.h>
#include <story_model.h>
#include <story_tokenizer.h>

#include <optional>
#include <span>

#include "heed/heed.hpp"
#include "heed/tokenizer.hpp"
#include "models.hpp"

namespace {

constexpr std::uint32_t max_tokens = 256;
constexpr std::uint32_t parameters = 260032;
constexpr std::span prompt("Once upon a time", 16);

constexpr heed::BlockMemory memory{.max_keys = max_tokens,
                                   .scratch_budget = 4096,
                                   .key_type = heed::DataType::int8,
                                   .value_type = heed::DataType::int8};
constexpr heed::ModelPlan<heed::KvCache> plan = heed::plan<heed::KvCache>(story_model_config, memory);
constexpr bool small = story_model_config.block.weight_type == heed::WeightType::int8;
static_assert(plan.state_bytes + plan.scratch_bytes <= 180 * models::kibibyte, "of 200 KiB of RAM, all in");
static_assert(!small || sizeof story_model + sizeof story_tokenizer <= 340 * models::kibibyte,
              "of 420 KiB of flash, all in");
static_assert(sizeof story_model == plan.file.bytes);

constexpr const heed::WeightFormat* formats[] = {models::format_of(story_model_config.block.weight_type)};

heed::StaticArena<plan.state_bytes> state;
heed::StaticArena<plan.scratch_bytes> scratch;
std::optional<heed::KvModel> model;  ///< made by main(), so that flash holds no copy of what it begins with
float logits[story_model_config.outputs];

/// What became of a story.
struct Story {
  heed::Status status = heed::Status::ok;
  std::uint32_t tokens = 0;                 ///< that went through the model
  std::uint64_t hash = models::hash_begin;  ///< of all logits
  std::uint64_t count = 0;                  ///< instructions
};

void print_piece(const heed::Tokenizer& words, std::uint32_t previous, std::uint32_t token) {
  if (PRINT_STAGES) return;
  for (const char character : words.decode(previous, token)) {
    const char text[] = {character, '\0'};
    board_print(text);
  }
}

void read(Story& story, std::span<const std::uint32_t> tokens) {
  const std::uint64_t start = board_count();
  story.status = model->prefill(tokens, logits);
  story.count += board_count() - start;
  story.hash = models::hash_of(logits, std::size(logits), story.hash);
  story.tokens += static_cast<std::uint32_t>(tokens.size());
}

Story write(const heed::Tokenizer& words) {
  std::uint32_t tokens[heed::Tokenizer::encode_words(prompt.size())];
  std::uint32_t count = 0;
  Story story;
  story.status = words.encode(prompt, tokens, count);
  if (story.status != heed::Status::ok) return story;
  for (std::uint32_t i = 1; i < count; ++i) print_piece(words, tokens[i - 1], tokens[i]);
  read(story, {tokens, count});
  std::uint32_t last = tokens[count - 1];
  while (story.status == heed::Status::ok) {
    const std::uint32_t token = heed::argmax(logits, story_model_config.outputs);
    if (token == heed::Tokenizer::begin_token || token == heed::Tokenizer::end_token) break;
    print_piece(words, last, token);
    if (story.tokens == STORY_TOKENS) break;
    read(story, {&token, 1});
    last = token;
  }
  return story;
}

}  // namespace

int main() {
  static_assert(STORY_TOKENS <= max_tokens);
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  const heed::PackedModel file(std::as_bytes(std::span(story_model)), formats);
  heed::Tokenizer words;
  Story story;
  story.status = words.bind(std::as_bytes(std::span(story_tokenizer)));
  model.emplace();
  if (story.status == heed::Status::ok) story.status = model->init(plan, state, scratch, file);
  if (PRINT_STAGES) model->observe({nullptr, models::print_stage});
  if (story.status == heed::Status::ok) story = write(words);

  board_print("\n");
  board_print(heed::to_string(story.status));
  board_print("; tokens ");
  board_print_number(story.tokens);
  board_print("; hash ");
  board_print_hexadecimal(story.hash);
  const std::uint64_t per_token = story.tokens == 0 ? 0 : story.count / story.tokens;
  board_print("\ninstructions per token ");
  board_print_number(per_token);
  board_print(", per token and parameter ");
  models::print_decimal(static_cast<std::uint32_t>(per_token * 100 / parameters), 2);
  board_print("; bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return story.status == heed::Status::ok ? 0 : 1;
}
