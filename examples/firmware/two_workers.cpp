// SPDX-License-Identifier: MIT
//
// A layer whose work is shared by two workers, in the shape that it has on an RTOS: the task that calls the layer and a
// helper task on another core, each with a mailbox. A board has no second core here, so the helper's turn is taken
// while the caller waits for it; the comments name what an RTOS puts there. The bits are those of one worker.
#include <board.h>
#include <packed_weights.h>

#include <span>

#include "heed/heed.hpp"
#include "layer.h"

namespace {

constexpr heed::MultiHeadConfig config{.model_dim = layer_model_dim,
                                       .heads = layer_heads,
                                       .kv_heads = layer_kv_heads,
                                       .head_dim = layer_head_dim,
                                       .max_keys = layer_max_keys,
                                       .workers = 2,
                                       .scratch_budget = layer_scratch_budget};
constexpr heed::MultiHeadPlan plan = heed::plan(config);

heed::StaticArena<plan.bytes> arena;

/// One piece of work for the helper.
struct Mailbox {
  heed::Executor::Task task = nullptr;
  void* argument = nullptr;
  std::uint32_t index = 0;
  std::uint32_t served = 0;
};

/// The body of the helper task. RTOS: a loop around it that waits for a notification.
void serve(Mailbox& mailbox) {
  mailbox.task(mailbox.argument, mailbox.index);
  ++mailbox.served;
}

void parallel_for(void* context, std::uint32_t count, heed::Executor::Task task, void* argument) {
  auto& mailbox = *static_cast<Mailbox*>(context);
  const bool shared = count > 1;
  if (shared) {
    mailbox.task = task;
    mailbox.argument = argument;
    mailbox.index = 1;
    // RTOS: notify the helper, which begins at once on its core.
  }
  task(argument, 0);
  // RTOS: wait until the helper is done.
  if (shared) serve(mailbox);
}

}  // namespace

int main() {
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  static float x[layer_tokens * layer_model_dim];
  static float y[layer_tokens * layer_model_dim];
  for (std::uint32_t token = 0; token < layer_tokens; ++token) {
    layer_numbers(100 + token, x + token * layer_model_dim, layer_model_dim);
  }
  heed::MultiHeadInputs inputs;
  inputs.tokens = layer_tokens;
  inputs.input = heed::dense<const float>(x, layer_tokens, layer_model_dim);
  heed::MultiHeadOutputs outputs;
  outputs.output = heed::dense(y, layer_tokens, layer_model_dim);

  Mailbox mailbox;
  heed::MultiHeadAttention layer;
  heed::Status status = layer.init(plan, arena, std::as_bytes(std::span(layer_weights)));
  if (status == heed::Status::ok) status = layer.prefill(inputs, outputs, {&mailbox, parallel_for});
  const std::uint64_t hash = layer_hash(LAYER_HASH_BEGIN, y, layer_tokens * layer_model_dim);

  board_print(heed::to_string(status));
  board_print("; hash ");
  board_print_hexadecimal(hash);
  board_print("; tasks of the helper ");
  board_print_number(mailbox.served);
  board_print("\n");
  return status == heed::Status::ok && hash == LAYER_HASH && mailbox.served != 0 ? 0 : 1;
}
