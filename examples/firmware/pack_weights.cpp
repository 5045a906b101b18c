// SPDX-License-Identifier: MIT
//
// Runs on the desktop while the image is built: packs the weights and prints them as a header, so that they lie in
// flash in the layout the kernels read, and nothing is packed on the board.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "layer.hpp"

namespace {

constexpr heed::MultiHeadPlan plan = heed::plan(layer_config);
constexpr heed::MultiHeadPlan integer_plan = heed::plan(in_integers(layer_config));
constexpr heed::MultiHeadPlan four_bit_plan = heed::plan(in_four_bits(layer_config));

heed::StaticArena<std::max({plan.weights_bytes, integer_plan.weights_bytes, four_bit_plan.weights_bytes})> packed;
float query[plan.query.outputs * plan.query.inputs];
float key[plan.key.outputs * plan.key.inputs];
float value[plan.value.outputs * plan.value.inputs];
float output[plan.output.outputs * plan.output.inputs];

bool print_weights(const char* name, const heed::MultiHeadPlan& weights_plan) {
  const heed::MultiHeadWeights weights{.query = query, .key = key, .value = value, .output = output};
  if (heed::pack_weights(weights_plan, weights, packed) != heed::Status::ok) return false;
  std::printf("HEED_ALIGNED static const uint32_t %s[%u] = {\n", name,
              static_cast<unsigned>(weights_plan.weights_bytes / 4));
  for (std::uint32_t i = 0; i < weights_plan.weights_bytes; i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, packed.bytes + i, sizeof word);
    std::printf("0x%08X,%c", static_cast<unsigned>(word), i % 32 == 28 ? '\n' : ' ');
  }
  std::printf("};\n");
  return true;
}

}  // namespace

int main() {
  // In place of trained weights.
  layer_numbers(1, query, static_cast<int>(std::size(query)));
  layer_numbers(2, key, static_cast<int>(std::size(key)));
  layer_numbers(3, value, static_cast<int>(std::size(value)));
  layer_numbers(4, output, static_cast<int>(std::size(output)));

  std::printf(
      "/* SPDX-License-Identifier: MIT\n * Made by pack_weights.cpp. */\n#pragma once\n\n#include <stdint.h>\n\n");
  std::printf("#include \"heed/heed_types.h\"\n\n");
  // Where numbers are smaller than a word, its bytes are those of this machine.
  std::printf("#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_%s_ENDIAN__\n",
              std::endian::native == std::endian::little ? "LITTLE" : "BIG");
  std::printf("#error \"packed on a machine of the other byte order: build on one that has the target's\"\n#endif\n\n");
  std::printf("/* Bytes of the layer's arena, for C, which cannot run the plan at compile time. */\n");
  std::printf("enum { layer_arena_bytes = %u };\n\n",
              static_cast<unsigned>(std::max({plan.bytes, integer_plan.bytes, four_bit_plan.bytes})));
  const bool good = print_weights("layer_weights", plan) && print_weights("layer_weights_int8", integer_plan) &&
                    print_weights("layer_weights_int4", four_bit_plan);
  return good ? 0 : 1;
}
