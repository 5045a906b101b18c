// SPDX-License-Identifier: MIT
//
// What is measured beside llama.cpp: models, how both programs store them, and texts.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/random_llama.hpp"

namespace heed::bench {

struct Dimensions {
  const char* name;
  ModelConfig config;
  bool biases = false;
  bool every_way = true;  ///< by one worker
};

inline constexpr ModelConfig llama_of(std::uint32_t dim, std::uint32_t blocks, std::uint32_t heads,
                                      std::uint32_t kv_heads, std::uint32_t hidden, std::uint32_t vocabulary) {
  return {.block = {.model_dim = dim,
                    .heads = heads,
                    .kv_heads = kv_heads,
                    .mlp_dim = hidden,
                    .norm_epsilon = 1e-5F,
                    .norm = Norm::rms_norm,
                    .activation = Activation::silu,
                    .gated = true},
          .blocks = blocks,
          .input_dim = vocabulary,
          .max_positions = 2048,
          .rotary_base = 10000.0F,
          .rotary_layout = RotaryLayout::interleaved,
          .positions = Positions::rotary,
          .tied_head = true};
}

/// Qwen2 rotates the halves of a head, and its queries, keys and values have biases.
inline constexpr ModelConfig qwen_of(ModelConfig config) {
  config.rotary_layout = RotaryLayout::halves;
  return config;
}

inline constexpr Dimensions models[] = {
    {"SmolLM-135M", llama_of(576, 30, 9, 3, 1536, 49152)},
    {"Qwen2.5-0.5B", qwen_of(llama_of(896, 24, 14, 2, 4864, 151936)), true, false},
};

/// How both programs store weights, and heed multiplies by them.
struct Way {
  const char* name;
  DataType type;
  DataType row_type;
};

struct Weights {
  const char* name;
  GreatestStep greatest;
  std::vector<Way> ways;
};

inline const Weights weights_in[] = {
    {"Q8_0",
     GreatestStep::of_8_bits,
     {{"integers", DataType::int8, DataType::int8},
      {"15 bits", DataType::int8, DataType::int16},
      {"floats", DataType::int8, DataType::float32}}},
    {"Q4_0",
     GreatestStep::of_4_bits,
     {{"integers", DataType::int4_multipliers, DataType::int8}, {"floats", DataType::int4_groups, DataType::float32}}},
};

/// Tokens one after another, or at once, after some that are there.
struct Text {
  const char* name;
  std::uint32_t before;
  std::uint32_t tokens;
  bool at_once;
};

/// Each ends with a token that all programs agree on. Such a network of random weights that is as deep as Qwen2.5-0.5B
/// gives a few tokens either of two outputs that are the opposite of one another, as the roundings fall.
inline constexpr Text texts[] = {{"prefill", 0, 512, true}, {"decode", 128, 64, false}};
inline constexpr std::uint32_t most_tokens = 512;
inline constexpr std::uint32_t most_workers = 2;

}  // namespace heed::bench
