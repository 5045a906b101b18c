// SPDX-License-Identifier: MIT
//
// A keyword spotter as firmware: the transformer KWT-1, weights in flash, on the features of one second of speech. It
// runs on every board and on the desktop, with the same bits.
#include <board.h>
#include <clip.h>
#include <keyword_model.h>

#include <span>

#include "heed/heed.hpp"
#include "models.hpp"

namespace {

constexpr const char* labels[] = {"silence", "unknown", "yes", "no",  "up",   "down",
                                  "left",    "right",   "on",  "off", "stop", "go"};
constexpr std::uint32_t outputs = keyword_model_config.outputs;
static_assert(std::size(labels) == outputs);
static_assert(clip_dim1 == keyword_model_config.input_dim);

constexpr std::uint32_t rows = keyword_model_config.max_positions;
constexpr heed::DataType cache_type = models::cache_type_of(keyword_model_config, heed::DataType::float32);
/// Products of integers gain by many rows at once, and their cache leaves the room for it.
constexpr std::uint32_t scratch_kibibytes = cache_type == heed::DataType::int8_integer ? 32 : 8;
constexpr heed::BlockMemory memory{.rows = rows,
                                   .max_keys = rows,
                                   .scratch_budget = scratch_kibibytes * models::kibibyte,
                                   .key_type = cache_type,
                                   .value_type = cache_type};
constexpr heed::ModelPlan plan = heed::plan(keyword_model_config, memory);
constexpr bool small = keyword_model_config.block.weight_type == heed::DataType::int8;
static_assert(plan.state_bytes + plan.scratch_bytes <= 133 * models::kibibyte, "of 160 KiB of RAM, all in");
static_assert(!small || sizeof keyword_model <= 690 * models::kibibyte, "of 768 KiB of flash, all in");
static_assert(sizeof keyword_model == plan.file.bytes);

constexpr auto formats = models::formats_of(keyword_model_config);
constexpr heed::KvStorage storage = models::storage_of(cache_type);

heed::StaticArena<plan.state_bytes> state;
heed::StaticArena<plan.scratch_bytes> scratch;
heed::Model model;

/// The likeliest three with their probabilities.
heed::Status print_labels(const float* logits) {
  float probabilities[outputs];
  std::uint32_t likeliest[3];
  heed::Status status = heed::softmax(logits, outputs, 1.0F, probabilities);
  if (status == heed::Status::ok) status = heed::top_k(probabilities, outputs, 3, likeliest);
  if (status != heed::Status::ok) return status;
  for (const std::uint32_t label : likeliest) {
    board_print(labels[label]);
    board_print(" ");
    models::print_decimal((static_cast<std::uint32_t>(probabilities[label] * 100000.0F) + 5) / 10, 4);
    board_print("\n");
  }
  return status;
}

}  // namespace

int main() {
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  const heed::PackedModel file(std::as_bytes(std::span(keyword_model)), formats);
  heed::Status status = model.init(plan, state, scratch, file, storage);
  if (PRINT_STAGES) model.observe({nullptr, models::print_stage});
  float logits[outputs] = {};
  const std::uint64_t start = board_count();
  if (status == heed::Status::ok) {
    status = model.encode(heed::dense<const float>(clip, clip_dim0, clip_dim1), clip_dim0, logits);
  }
  const std::uint64_t count = board_count() - start;
  if (status == heed::Status::ok) status = print_labels(logits);

  board_print(heed::to_string(status));
  board_print("; hash ");
  board_print_hexadecimal(models::hash_of(logits, outputs));
  board_print("\ninstructions ");
  board_print_number(count);
  board_print("; bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return status == heed::Status::ok ? 0 : 1;
}
