// SPDX-License-Identifier: MIT
//
// A streaming multi-head attention layer as firmware, in C++: weights in flash, an arena in .bss whose size the
// compiler knows, one token at a time into the key-value cache. It runs on every board and on the desktop, with the
// same bits, in each arithmetic.
#include "layer.hpp"

#include <packed_weights.h>

#include <span>

namespace {

constexpr heed::MultiHeadPlan plan = heed::plan(layer_config);
constexpr heed::MultiHeadPlan integer_plan = heed::plan(in_integers(layer_config));
constexpr heed::MultiHeadPlan four_bit_plan = heed::plan(in_four_bits(layer_config));
static_assert(plan.bytes <= 20 * 1024, "all the RAM that the layer may have");
static_assert(plan.weights_bytes == sizeof layer_weights);
static_assert(integer_plan.bytes <= plan.bytes && four_bit_plan.bytes <= plan.bytes);

heed::StaticArena<plan.bytes> arena;

/// Whether all outputs have the expected hash.
bool run(const char* arithmetic, const heed::MultiHeadPlan& layer_plan, const heed::PackedWeights& weights,
         const heed::KvStorage& storage, std::uint64_t expected) {
  heed::MultiHeadAttention layer;
  heed::Status status = layer.init(layer_plan, arena, weights, storage);

  std::uint64_t hash = LAYER_HASH_BEGIN;
  std::uint64_t count = 0;
  for (std::uint32_t token = 0; status == heed::Status::ok && token < layer_tokens; ++token) {
    float x[layer_model_dim];
    float y[layer_model_dim];
    layer_numbers(100 + token, x, layer_model_dim);
    const std::uint64_t start = board_count();
    status = layer.decode(x, y);
    count += board_count() - start;
    hash = layer_hash(hash, y, layer_model_dim);
  }

  const bool right = print_layer(arithmetic, status, hash, expected);
  board_print("; instructions for all tokens ");
  board_print_number(count);
  board_print("\n");
  return right;
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
  board_print("bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return right ? 0 : 1;
}
