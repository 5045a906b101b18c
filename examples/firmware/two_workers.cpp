// SPDX-License-Identifier: MIT
//
// A layer whose work is shared by two workers, in the shape that it has on an RTOS: the task that calls the layer and a
// helper task on another core, each with a mailbox. A board has no second core here, so the helper's turn is taken
// while the caller waits for it; the comments name what an RTOS puts there. The bits are those of one worker.
#include <packed_weights.h>

#include <span>

#include "layer.hpp"

namespace {

consteval heed::MultiHeadConfig for_two_workers() {
  heed::MultiHeadConfig config = layer_config;
  config.workers = 2;
  return config;
}
constexpr heed::MultiHeadPlan plan = heed::plan(for_two_workers());
constexpr heed::MultiHeadPlan integer_plan = heed::plan(in_integers(for_two_workers()));
constexpr heed::MultiHeadPlan four_bit_plan = heed::plan(in_four_bits(for_two_workers()));
static_assert(integer_plan.bytes <= plan.bytes && four_bit_plan.bytes <= plan.bytes);

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

/// Whether all outputs have the expected hash, and the helper had work.
bool run(const char* arithmetic, const heed::MultiHeadPlan& layer_plan, const heed::PackedWeights& weights,
         const heed::KvStorage& storage, std::uint64_t expected) {
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
  heed::Status status = layer.init(layer_plan, arena, weights, storage);
  if (status == heed::Status::ok) status = layer.prefill(inputs, outputs, {&mailbox, parallel_for});
  const std::uint64_t hash = layer_hash(LAYER_HASH_BEGIN, y, layer_tokens * layer_model_dim);

  const bool right = print_layer(arithmetic, status, hash, expected);
  board_print("; tasks of the helper ");
  board_print_number(mailbox.served);
  board_print("\n");
  return right && mailbox.served != 0;
}

}  // namespace

int main() {
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  bool right = run("float32", plan, std::as_bytes(std::span(layer_weights)), {}, LAYER_HASH);
  const heed::PackedWeights integers(std::as_bytes(std::span(layer_weights_int8)), &heed::int8_integer_weights);
  right = run("integers", integer_plan, integers, integer_storage, LAYER_HASH_INTEGERS) && right;
  const heed::PackedWeights four_bits(std::as_bytes(std::span(layer_weights_int4)), &heed::int4_group_weights);
  right = run("4 bits", four_bit_plan, four_bits, four_bit_storage, LAYER_HASH_FOUR_BITS) && right;
  return right ? 0 : 1;
}
