// SPDX-License-Identifier: MIT
//
// The project's own trained model as firmware: it adds numbers below 100, of pairs that it was not trained on. It runs
// on every board and on the desktop, with the same bits.
#include <board.h>
#include <sums_model.h>
#include <sums_tokenizer.h>

#include <span>
#include <string_view>

#include "heed/heed.hpp"
#include "heed/text.hpp"
#include "models.hpp"
#include "text.hpp"

namespace {

constexpr std::string_view sums[] = {"27+59=", "8+64=", "46+57=", "58+99="};
constexpr std::size_t longest = 6;
constexpr std::uint32_t parameters = 17864;

constexpr std::uint32_t most = sums_model_config.max_positions;
constexpr heed::BlockMemory memory{.max_keys = most, .scratch_budget = 2048};
constexpr heed::ModelPlan plan = heed::plan(sums_model_config, memory);
static_assert(sizeof sums_model == plan.file.bytes);

constexpr auto formats = models::formats_of(sums_model_config);

heed::StaticArena<plan.state_bytes> state;
heed::StaticArena<plan.scratch_bytes> scratch;
heed::Model model;
float logits[sums_model_config.outputs];

}  // namespace

int main() {
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  const heed::PackedModel file(std::as_bytes(std::span(sums_model)), formats);
  models::Vocabulary words;
  models::Text text;
  text.status = words.bind(std::as_bytes(std::span(sums_tokenizer)));
  if (text.status == heed::Status::ok) text.status = model.init(plan, state, scratch, file);
  for (const std::string_view sum : sums) {
    if (text.status == heed::Status::ok) text.status = model.truncate(0);
    if (text.status != heed::Status::ok) break;
    std::uint32_t tokens[heed::Tokenizer::encode_words(longest)];
    models::write(model, words, sum, most, tokens, logits, text);
  }
  models::print_summary(text, parameters);
  return text.status == heed::Status::ok ? 0 : 1;
}
