// SPDX-License-Identifier: MIT
//
// A language model of 260,032 parameters as firmware: weights and vocabulary in flash, keys and values of 256 tokens in
// eight bits, and the text on the console as it is made. It runs on every board and on the desktop, with the same bits.
#include <board.h>
#include <story_model.h>
#include <story_tokenizer.h>

#include <span>

#include "heed/heed.hpp"
#include "heed/text.hpp"
#include "models.hpp"
#include "text.hpp"

namespace {

constexpr std::uint32_t max_tokens = 256;
constexpr std::uint32_t parameters = 260032;
/// A single token is the one that every text begins with: no other takes as few instructions.
constexpr std::span<const char> prompt("Once upon a time", STORY_TOKENS == 1 ? 0 : 16);

constexpr heed::DataType cache_type = models::cache_type_of(story_model_config, heed::DataType::int8);
constexpr heed::BlockMemory memory{
    .max_keys = max_tokens, .scratch_budget = 4096, .key_type = cache_type, .value_type = cache_type};
constexpr heed::ModelPlan plan = heed::plan(story_model_config, memory);
constexpr bool small = story_model_config.block.weight_type == heed::DataType::int8;
static_assert(plan.state_bytes + plan.scratch_bytes <= 180 * models::kibibyte, "of 200 KiB of RAM, all in");
static_assert(!small || sizeof story_model + sizeof story_tokenizer <= 340 * models::kibibyte,
              "of 420 KiB of flash, all in");
static_assert(sizeof story_model == plan.file.bytes);

constexpr auto formats = models::formats_of(story_model_config);
constexpr heed::KvStorage storage = models::storage_of(cache_type);

heed::StaticArena<plan.state_bytes> state;
heed::StaticArena<plan.scratch_bytes> scratch;
heed::Model model;
float logits[story_model_config.outputs];

}  // namespace

int main() {
  static_assert(STORY_TOKENS <= max_tokens);
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  const heed::PackedModel file(std::as_bytes(std::span(story_model)), formats);
  models::Vocabulary words;
  models::Text story;
  story.status = words.bind(std::as_bytes(std::span(story_tokenizer)));
  if (story.status == heed::Status::ok) story.status = model.init(plan, state, scratch, file, storage);
  if (PRINT_STAGES) model.observe({nullptr, models::print_stage});
  if (story.status == heed::Status::ok) {
    std::uint32_t tokens[heed::Tokenizer::encode_words(prompt.size())];
    models::write(model, words, prompt, STORY_TOKENS, tokens, logits, story);
  }
  models::print_summary(story, parameters);
  return story.status == heed::Status::ok ? 0 : 1;
}
