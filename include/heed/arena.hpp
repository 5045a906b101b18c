// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/detail/language.hpp"

namespace heed {

/// Every arena starts on this boundary and every region inside it too: one cache line, and the widest vector.
inline constexpr std::size_t arena_alignment = 64;

/// Memory of a size known at compile time. As a static object it lies in .bss.
template <std::size_t Bytes>
struct StaticArena {
  alignas(arena_alignment) std::byte bytes[Bytes];

  [[nodiscard]] constexpr std::span<std::byte> span() noexcept { return {bytes, Bytes}; }
  [[nodiscard]] constexpr std::span<const std::byte> span() const noexcept { return {bytes, Bytes}; }
  constexpr operator std::span<std::byte>() noexcept { return span(); }
  constexpr operator std::span<const std::byte>() const noexcept { return span(); }
};

/// What a region of an arena or of packed weights holds.
enum class RegionName : std::uint32_t {
  none,
  scaled_queries,
  key_panels,
  scores,
  block_outputs,
  outputs,
  maxima_and_sums,
  sequence_lengths,
  cached_keys,
  cached_values,
  key_value_cache,
  attention_scratch,
  projected_rows,
  attention_output,
  weights_header,
  query_weight,
  query_bias,
  key_weight,
  key_bias,
  value_weight,
  value_bias,
  output_weight,
  output_bias,
  key_scales,
  value_scales,
  weights,
  weight_scales,
  bias,
  query_weight_scales,
  key_weight_scales,
  value_weight_scales,
  output_weight_scales,
  staged_weights,
  cross_cache,
  branch_rows,
  hidden_rows,
  gate_rows,
  norm_weight,
  norm_bias,
  attention_weights,
  gate_weight,
  gate_scales,
  gate_bias,
  up_weight,
  up_scales,
  up_bias,
  down_weight,
  down_scales,
  down_bias,
  model_header,
  embedding,
  embedding_scales,
  input_weight,
  input_scales,
  input_bias,
  class_token,
  positions,
  block_weights,
  head_weight,
  head_scales,
  head_bias,
  model_rows,
  block_scratch,
};

/// The name in words, in static storage.
[[nodiscard]] constexpr const char* to_string(RegionName name) noexcept {
  switch (name) {
    case RegionName::none: return "none";
    case RegionName::scaled_queries: return "scaled queries";
    case RegionName::key_panels: return "key panels";
    case RegionName::scores: return "scores";
    case RegionName::block_outputs: return "block outputs";
    case RegionName::outputs: return "outputs";
    case RegionName::maxima_and_sums: return "maxima and sums";
    case RegionName::sequence_lengths: return "sequence lengths";
    case RegionName::cached_keys: return "cached keys";
    case RegionName::cached_values: return "cached values";
    case RegionName::key_value_cache: return "key-value cache";
    case RegionName::attention_scratch: return "attention scratch";
    case RegionName::projected_rows: return "projected rows";
    case RegionName::attention_output: return "attention output";
    case RegionName::weights_header: return "header";
    case RegionName::query_weight: return "W_Q panels";
    case RegionName::query_bias: return "W_Q bias";
    case RegionName::key_weight: return "W_K panels";
    case RegionName::key_bias: return "W_K bias";
    case RegionName::value_weight: return "W_V panels";
    case RegionName::value_bias: return "W_V bias";
    case RegionName::output_weight: return "W_O panels";
    case RegionName::output_bias: return "W_O bias";
    case RegionName::key_scales: return "key scales";
    case RegionName::value_scales: return "value scales";
    case RegionName::weights: return "W panels";
    case RegionName::weight_scales: return "W scales";
    case RegionName::bias: return "bias";
    case RegionName::query_weight_scales: return "W_Q scales";
    case RegionName::key_weight_scales: return "W_K scales";
    case RegionName::value_weight_scales: return "W_V scales";
    case RegionName::output_weight_scales: return "W_O scales";
    case RegionName::staged_weights: return "staged weights";
    case RegionName::cross_cache: return "keys and values of cross-attention";
    case RegionName::branch_rows: return "branch rows";
    case RegionName::hidden_rows: return "hidden rows";
    case RegionName::gate_rows: return "gate rows";
    case RegionName::norm_weight: return "norm weight";
    case RegionName::norm_bias: return "norm bias";
    case RegionName::attention_weights: return "attention weights";
    case RegionName::gate_weight: return "gate panels";
    case RegionName::gate_scales: return "gate scales";
    case RegionName::gate_bias: return "gate bias";
    case RegionName::up_weight: return "up panels";
    case RegionName::up_scales: return "up scales";
    case RegionName::up_bias: return "up bias";
    case RegionName::down_weight: return "down panels";
    case RegionName::down_scales: return "down scales";
    case RegionName::down_bias: return "down bias";
    case RegionName::model_header: return "model header";
    case RegionName::embedding: return "embedding table";
    case RegionName::embedding_scales: return "embedding scales";
    case RegionName::input_weight: return "input panels";
    case RegionName::input_scales: return "input scales";
    case RegionName::input_bias: return "input bias";
    case RegionName::class_token: return "class token";
    case RegionName::positions: return "learned positions";
    case RegionName::block_weights: return "weights of the blocks";
    case RegionName::head_weight: return "head panels";
    case RegionName::head_scales: return "head scales";
    case RegionName::head_bias: return "head bias";
    case RegionName::model_rows: return "rows of the model";
    case RegionName::block_scratch: return "scratch of a block";
  }
  return "unknown region";
}

/// A part of an arena: `bytes` bytes, `offset` bytes after its start. Regions and plans are made of 32-bit numbers
/// alone and have no padding: the same bytes on every target, and clang 14 returns nothing else intact from a consteval
/// call.
struct Region {
  RegionName name = RegionName::none;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;

  friend constexpr bool operator==(const Region&, const Region&) noexcept = default;
};

}  // namespace heed
