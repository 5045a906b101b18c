// SPDX-License-Identifier: MIT
//
// Two trained models in one image: a GPT of 85,584 parameters that sorts six letters of three kinds, and a Llama of
// 656,000 that goes on with a text, for which its file is all that it needs: the tokenizer lies after the model. They
// share one scratch, since they run one after the other; each keeps its own state. The same bits on every board and on
// the desktop.
#include <board.h>
#include <sort_model.h>
#include <tale_model.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "heed/heed.hpp"
#include "heed/text.hpp"
#include "models.hpp"
#include "text.hpp"

namespace {

constexpr std::uint32_t letters = 6;
constexpr std::uint32_t most_tokens = 32;
/// The first tale has more tokens than that; the model ends the second.
constexpr std::string_view prompts[] = {"Once upon a time", "And they all lived"};
constexpr std::size_t longest = 18;
constexpr std::uint32_t parameters = 656000;

consteval heed::ModelPlan plan_of(const heed::ModelConfig& config, std::uint32_t max_keys) {
  const heed::DataType cache = models::cache_type_of(config, heed::DataType::float32);
  return heed::plan(config, {.max_keys = max_keys, .scratch_budget = 4096, .key_type = cache, .value_type = cache});
}

constexpr heed::ModelPlan sort_plan = plan_of(sort_model_config, 2 * letters - 1);
constexpr heed::ModelPlan tale_plan = plan_of(tale_model_config, most_tokens);
static_assert(sizeof sort_model == sort_plan.file.bytes && sizeof tale_model > tale_plan.file.bytes);

constexpr auto sort_formats = models::formats_of(sort_model_config);
constexpr auto tale_formats = models::formats_of(tale_model_config);

heed::StaticArena<sort_plan.state_bytes> sort_state;
heed::StaticArena<tale_plan.state_bytes> tale_state;
heed::StaticArena<std::max(sort_plan.scratch_bytes, tale_plan.scratch_bytes)> scratch;
heed::Model model;
float logits[std::max(sort_model_config.outputs, tale_model_config.outputs)];
std::uint32_t buffer[heed::text_words(longest)];
char piece[320];  ///< decode_bytes() of its tokenizer is 307

/// Reads tokens, then writes the likeliest `count` times, of which the last is not read. Prints what it writes.
heed::Status write(std::span<const std::uint32_t> tokens, std::uint32_t count, std::uint64_t& hash) {
  const std::uint32_t outputs = model.plan().config.outputs;
  heed::Status status = heed::Status::ok;
  for (const std::uint32_t token : tokens) {
    if (status == heed::Status::ok) status = model.decode(token, logits);
    hash = models::hash_of(logits, outputs, hash);
  }
  for (std::uint32_t i = 0; i < count && status == heed::Status::ok; ++i) {
    std::uint32_t next = 0;
    status = heed::top_k(logits, outputs, 1, &next);
    board_print_number(next);
    board_print(i + 1 < count ? " " : "\n");
    if (status == heed::Status::ok && i + 1 < count) status = model.decode(next, logits);
    hash = models::hash_of(logits, outputs, hash);
  }
  return status;
}

/// Six letters in their order. The model writes the sorted ones after them.
heed::Status sort(std::uint64_t& hash) {
  constexpr std::uint32_t unsorted[letters] = {2, 0, 1, 1, 0, 2};
  const heed::PackedModel file(std::as_bytes(std::span(sort_model)), sort_formats);
  constexpr heed::DataType cache = models::cache_type_of(sort_model_config, heed::DataType::float32);
  const heed::Status status = model.init(sort_plan, sort_state, scratch, file, models::storage_of(cache));
  return status == heed::Status::ok ? write(unsorted, letters, hash) : status;
}

/// From text to text. `tale` goes on from the hash that it has.
void tell(models::Text& tale) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(tale_model));
  const heed::PackedModel file(bytes, tale_formats);
  constexpr heed::DataType cache = models::cache_type_of(tale_model_config, heed::DataType::float32);
  models::OwnTokenizer words(piece);
  tale.status = words.bind(bytes);
  if (tale.status == heed::Status::ok) {
    tale.status = model.init(tale_plan, tale_state, scratch, file, models::storage_of(cache));
  }
  if (PRINT_STAGES) model.observe({nullptr, models::print_stage});
  for (const std::string_view prompt : std::span(prompts).first(PRINT_STAGES ? 1 : std::size(prompts))) {
    if (tale.status == heed::Status::ok) tale.status = model.truncate(0);
    if (tale.status != heed::Status::ok) return;
    models::write(model, words, prompt, most_tokens, buffer, std::span(logits).first(tale_model_config.outputs), tale);
  }
}

}  // namespace

int main() {
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  models::Text tale;
  tale.status = sort(tale.hash);
  if (tale.status == heed::Status::ok) tell(tale);
  models::print_summary(tale, parameters);
  return tale.status == heed::Status::ok ? 0 : 1;
}
