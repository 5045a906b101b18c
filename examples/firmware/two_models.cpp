// SPDX-License-Identifier: MIT
//
// Two trained models in one image: a GPT of 85,584 parameters that sorts six letters of three kinds, and a Llama of
// 656,000 that tells stories, of which this prints the ids of its words. They share one scratch, since they run one after
// the other; each keeps its own state. The same bits on every board and on the desktop.
#include <board.h>
#include <sort_model.h>
#include <tale_model.h>

#include <algorithm>
#include <span>

#include "heed/heed.hpp"
#include "heed/text.hpp"
#include "models.hpp"

namespace {

constexpr std::uint32_t letters = 6;
constexpr std::uint32_t words = 16;
constexpr std::uint32_t begin_of_tale[] = {1, 80, 147, 201, 282, 57};  // "Once upon a time"

consteval heed::ModelPlan plan_of(const heed::ModelConfig& config, std::uint32_t max_keys) {
  const heed::DataType cache = models::cache_type_of(config, heed::DataType::float32);
  return heed::plan(config, {.max_keys = max_keys, .scratch_budget = 4096, .key_type = cache, .value_type = cache});
}

constexpr heed::ModelPlan sort_plan = plan_of(sort_model_config, 2 * letters - 1);
constexpr heed::ModelPlan tale_plan = plan_of(tale_model_config, std::size(begin_of_tale) + words);
static_assert(sizeof sort_model == sort_plan.file.bytes && sizeof tale_model == tale_plan.file.bytes);

constexpr auto sort_formats = models::formats_of(sort_model_config);
constexpr auto tale_formats = models::formats_of(tale_model_config);

heed::StaticArena<sort_plan.state_bytes> sort_state;
heed::StaticArena<tale_plan.state_bytes> tale_state;
heed::StaticArena<std::max(sort_plan.scratch_bytes, tale_plan.scratch_bytes)> scratch;
heed::Model model;
float logits[std::max(sort_model_config.outputs, tale_model_config.outputs)];
std::uint64_t hash = models::hash_begin;

/// Reads tokens, then writes the likeliest `count` times, of which the last is not read. Prints what it writes.
heed::Status write(std::span<const std::uint32_t> tokens, std::uint32_t count) {
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
heed::Status sort() {
  constexpr std::uint32_t unsorted[letters] = {2, 0, 1, 1, 0, 2};
  const heed::PackedModel file(std::as_bytes(std::span(sort_model)), sort_formats);
  constexpr heed::DataType cache = models::cache_type_of(sort_model_config, heed::DataType::float32);
  const heed::Status status = model.init(sort_plan, sort_state, scratch, file, models::storage_of(cache));
  return status == heed::Status::ok ? write(unsorted, letters) : status;
}

heed::Status tell() {
  const heed::PackedModel file(std::as_bytes(std::span(tale_model)), tale_formats);
  constexpr heed::DataType cache = models::cache_type_of(tale_model_config, heed::DataType::float32);
  const heed::Status status = model.init(tale_plan, tale_state, scratch, file, models::storage_of(cache));
  return status == heed::Status::ok ? write(begin_of_tale, words) : status;
}

}  // namespace

int main() {
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  const std::uint64_t start = board_count();
  heed::Status status = sort();
  if (status == heed::Status::ok) status = tell();
  const std::uint64_t count = board_count() - start;
  board_print(heed::to_string(status));
  board_print("; hash ");
  board_print_hexadecimal(hash);
  board_print("\ninstructions ");
  board_print_number(count);
  board_print("; bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return status == heed::Status::ok ? 0 : 1;
}
