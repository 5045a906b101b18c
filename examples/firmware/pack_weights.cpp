// SPDX-License-Identifier: MIT
//
// Runs on the desktop while the image is built: packs the weights and prints them as a header, so that they lie in
// flash in the layout the kernels read, and nothing is packed on the board.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "heed/heed.hpp"
#include "layer.h"

namespace {

constexpr heed::MultiHeadConfig config{.model_dim = layer_model_dim,
                                       .heads = layer_heads,
                                       .kv_heads = layer_kv_heads,
                                       .head_dim = layer_head_dim,
                                       .max_keys = layer_max_keys,
                                       .scratch_budget = layer_scratch_budget};
constexpr heed::MultiHeadPlan plan = heed::plan(config);

heed::StaticArena<plan.weights_bytes> packed;
float query[plan.query.outputs * plan.query.inputs];
float key[plan.key.outputs * plan.key.inputs];
float value[plan.value.outputs * plan.value.inputs];
float output[plan.output.outputs * plan.output.inputs];

}  // namespace

int main() {
  // In place of trained weights.
  layer_numbers(1, query, static_cast<int>(std::size(query)));
  layer_numbers(2, key, static_cast<int>(std::size(key)));
  layer_numbers(3, value, static_cast<int>(std::size(value)));
  layer_numbers(4, output, static_cast<int>(std::size(output)));
  const heed::MultiHeadWeights weights{.query = query, .key = key, .value = value, .output = output};
  if (heed::pack_weights(plan, weights, packed) != heed::Status::ok) return 1;

  std::printf(
      "/* SPDX-License-Identifier: MIT\n * Made by pack_weights.cpp. */\n#pragma once\n\n#include <stdint.h>\n\n");
  std::printf("#include \"heed/heed_types.h\"\n\n");
  std::printf("/* Bytes of the layer's arena, for C, which cannot run the plan at compile time. */\n");
  std::printf("enum { layer_arena_bytes = %u };\n\n", static_cast<unsigned>(plan.bytes));
  std::printf("HEED_ALIGNED static const uint32_t layer_weights[%u] = {\n",
              static_cast<unsigned>(plan.weights_bytes / 4));
  for (std::uint32_t i = 0; i < plan.weights_bytes; i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, packed.bytes + i, sizeof word);
    std::printf("0x%08X,%c", static_cast<unsigned>(word), i % 32 == 28 ? '\n' : ' ');
  }
  std::printf("};\n");
  return 0;
}
