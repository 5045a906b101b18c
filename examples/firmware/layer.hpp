// SPDX-License-Identifier: MIT
//
// The layer of the example images in three arithmetics. An error in integers, or in few bits, does not show in the hash
// of float32.
#pragma once

#include <board.h>

#include "heed/heed.hpp"
#include "layer.h"

inline constexpr heed::MultiHeadConfig layer_config{.model_dim = layer_model_dim,
                                                    .heads = layer_heads,
                                                    .kv_heads = layer_kv_heads,
                                                    .head_dim = layer_head_dim,
                                                    .max_keys = layer_max_keys,
                                                    .scratch_budget = layer_scratch_budget};

/// Rows, weights and the cache in int8, multiplied as integers.
consteval heed::MultiHeadConfig in_integers(heed::MultiHeadConfig config) {
  config.weight_type = config.row_type = config.output_row_type = heed::DataType::int8;
  config.key_type = config.value_type = heed::DataType::int8_integer;
  return config;
}
inline constexpr heed::KvStorage integer_storage{.formats = {&heed::int8_integer_cache}};

/// Weights and the cache in four bits.
consteval heed::MultiHeadConfig in_four_bits(heed::MultiHeadConfig config) {
  config.weight_type = heed::DataType::int4_groups;
  config.key_type = config.value_type = heed::DataType::int4;
  return config;
}
inline constexpr heed::KvStorage four_bit_storage{.formats = {&heed::int4_cache}};

/// Prints what became of it, without the end of the line; whether it is right.
inline bool print_layer(const char* arithmetic, heed::Status status, std::uint64_t hash, std::uint64_t expected) {
  board_print(arithmetic);
  board_print(": ");
  board_print(heed::to_string(status));
  board_print("; hash ");
  board_print_hexadecimal(hash);
  return status == heed::Status::ok && hash == expected;
}
