// SPDX-License-Identifier: MIT
//
// What the images of whole models share: a hash, the lines that `heed compare` reads, and the kernels of their weights.
#pragma once

#include <board.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/block.hpp"
#include "heed/cache.hpp"
#include "heed/linear.hpp"
#include "heed/model.hpp"

namespace models {

inline constexpr std::size_t kibibyte = 1024;

inline constexpr std::uint64_t hash_begin = 0xCBF29CE484222325U;

/// FNV-1a over the bytes of the floats, little-endian.
inline std::uint64_t hash_of(const float* values, std::size_t count, std::uint64_t hash = hash_begin) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (bits >> shift & 0xFFU)) * 0x100000001B3U;
  }
  return hash;
}

/// Prints `stage <block> <name> <hash>`.
inline void print_stage(void* /*context*/, std::uint32_t block, heed::Stage stage, const float* values,
                        std::uint32_t rows, std::uint32_t columns) {
  board_print("stage ");
  board_print_number(block);
  board_print(" ");
  board_print(heed::to_string(stage));
  board_print(" ");
  board_print_hexadecimal(hash_of(values, std::size_t{rows} * columns));
  board_print("\n");
}

/// Whether a block has rows of both kinds.
consteval bool is_mixed(const heed::BlockConfig& block) {
  const auto floats = [](heed::DataType row_type) { return row_type == heed::DataType::float32; };
  const bool first = floats(block.row_type);
  return floats(block.output_row_type) != first || floats(block.mlp_row_type) != first ||
         floats(block.down_row_type) != first;
}

/// The kernels that weights of a type need for rows of a type; null for float32.
consteval const heed::Format* format_of(heed::DataType type, heed::DataType row_type) {
  using enum heed::DataType;
  switch (type) {
    case float16: return &heed::float16_weights;
    case bfloat16: return &heed::bfloat16_weights;
    case int8: return row_type == float32 ? &heed::int8_weights : &heed::int8_integer_weights;
    case int8_groups: return &heed::int8_group_weights;
    case int4_groups: return &heed::int4_group_weights;
    case int8_multipliers: return &heed::int8_multiplier_weights;
    case int4_multipliers: return &heed::int4_multiplier_weights;
    default: return nullptr;
  }
}

/// Those of a model. Known at compile time, so that no others are linked.
consteval std::array<const heed::Format*, 3> formats_of(const heed::ModelConfig& config) {
  const heed::DataType input_rows = config.tied_head ? config.head_row_type : config.input_row_type;
  const heed::Format* const of_block =
      is_mixed(config.block) ? &heed::int8_mixed_weights : format_of(config.block.weight_type, config.block.row_type);
  return {of_block, format_of(config.input_type, input_rows),
          config.outputs == 0 || config.tied_head ? nullptr : format_of(config.head_type, config.head_row_type)};
}

/// What keys and values are stored as: where products are in integers, so is attention.
consteval heed::DataType cache_type_of(const heed::ModelConfig& config, heed::DataType with_floats) {
  return config.block.row_type == heed::DataType::float32 ? with_floats : heed::DataType::int8_integer;
}

/// The formats of a cache.
consteval heed::KvStorage storage_of(heed::DataType type) {
  switch (type) {
    case heed::DataType::int8: return {.formats = {&heed::int8_cache}};
    case heed::DataType::int8_integer: return {.formats = {&heed::int8_integer_cache}};
    default: return {};
  }
}

/// A number with `places` digits after the point; `scaled` is 10^places times the number.
inline void print_decimal(std::uint32_t scaled, int places) {
  std::uint32_t one = 1;
  for (int i = 0; i < places; ++i) one *= 10;
  board_print_number(scaled / one);
  board_print(".");
  for (std::uint32_t digit = one / 10; digit > 1 && scaled % one < digit; digit /= 10) board_print("0");
  board_print_number(scaled % one);
}

}  // namespace models
