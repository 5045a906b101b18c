// SPDX-License-Identifier: MIT
//
// A streaming multi-head attention layer as firmware, in C++: weights in flash, an arena in .bss whose size the
// compiler knows, one token at a time into the key-value cache. It runs on every board and on the desktop, with the
// same bits.
#include "layer.h"

#include <board.h>
#include <packed_weights.h>

#include <span>

#include "heed/heed.hpp"

namespace {

constexpr heed::MultiHeadConfig config{.model_dim = layer_model_dim,
                                       .heads = layer_heads,
                                       .kv_heads = layer_kv_heads,
                                       .head_dim = layer_head_dim,
                                       .max_keys = layer_max_keys,
                                       .scratch_budget = layer_scratch_budget};
constexpr heed::MultiHeadPlan plan = heed::plan(config);
static_assert(plan.bytes <= 20 * 1024, "all the RAM that the layer may have");
static_assert(plan.weights_bytes == sizeof layer_weights);

heed::StaticArena<plan.bytes> arena;

}  // namespace

int main() {
  if (!heed::float_environment_is_standard()) {
    board_print("the FPU does not round to nearest, or flushes subnormal numbers\n");
    return 1;
  }
  heed::MultiHeadAttention layer;
  heed::Status status = layer.init(plan, arena, std::as_bytes(std::span(layer_weights)));

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

  board_print(heed::to_string(status));
  board_print("; hash ");
  board_print_hexadecimal(hash);
  board_print("; instructions for all tokens ");
  board_print_number(count);
  board_print("; bytes of stack ");
  board_print_number(board_stack_used());
  board_print("\n");
  return status == heed::Status::ok && hash == LAYER_HASH ? 0 : 1;
}
