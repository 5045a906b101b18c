// SPDX-License-Identifier: MIT
//
// A model that lies in flash: sums_model.S and sums_model.h are what `heed pack ... --incbin` writes. It reads the
// tokens of 27+59=, which are characters here, and goes on with the likeliest until the text ends.
//
// Prints 86
#include <sums_model.h>

#include <cstdio>
#include <span>

#include "heed/heed.hpp"
#include "heed/text.hpp"

constexpr heed::ModelPlan plan = heed::plan(sums_model_config, {.max_keys = 12, .scratch_budget = 2048});
static heed::StaticArena<plan.state_bytes> state;      // keys and values: outlives a call
static heed::StaticArena<plan.scratch_bytes> scratch;  // free between calls
static heed::Model model;
static float logits[sums_model_config.outputs];

int main() {
  constexpr std::uint32_t first = 3;  // the token of character 0, after those that pad, begin and end a text
  const std::uint32_t prompt[] = {1, first + '2', first + '7', first + '+', first + '5', first + '9', first + '='};
  const heed::Format* const formats[] = {&heed::int8_weights};  // links the kernels of these weights, and no others
  heed::Status status = model.init(plan, state, scratch, {std::as_bytes(std::span(sums_model)), formats});
  if (status == heed::Status::ok) status = model.prefill(prompt, logits);
  while (status == heed::Status::ok) {
    const std::uint32_t token = heed::argmax(logits, sums_model_config.outputs);
    if (token < first) break;
    std::putchar(static_cast<int>(token - first));
    status = model.decode(token, logits);
  }
  std::putchar('\n');
  return status == heed::Status::ok ? 0 : 1;
}
