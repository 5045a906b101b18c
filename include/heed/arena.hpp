// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/detail/language.hpp"
#include "heed/heed_types.h"

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

namespace detail {

/// In the order of RegionName.
inline constexpr const char* region_names[] = {
    "none",
    "scaled queries",
    "key panels",
    "scores",
    "block outputs",
    "outputs",
    "maxima and sums",
    "sequence lengths",
    "cached keys",
    "cached values",
    "key-value cache",
    "attention scratch",
    "projected rows",
    "attention output",
    "header",
    "W_Q panels",
    "W_Q bias",
    "W_K panels",
    "W_K bias",
    "W_V panels",
    "W_V bias",
    "W_O panels",
    "W_O bias",
    "key scales",
    "value scales",
    "W panels",
    "W scales",
    "bias",
    "W_Q scales",
    "W_K scales",
    "W_V scales",
    "W_O scales",
    "staged weights",
    "keys and values of cross-attention",
    "branch rows",
    "hidden rows",
    "gate rows",
    "norm weight",
    "norm bias",
    "attention weights",
    "gate panels",
    "gate scales",
    "gate bias",
    "up panels",
    "up scales",
    "up bias",
    "down panels",
    "down scales",
    "down bias",
    "model header",
    "embedding table",
    "embedding scales",
    "input panels",
    "input scales",
    "input bias",
    "class token",
    "learned positions",
    "weights of the blocks",
    "head panels",
    "head scales",
    "head bias",
    "rows of the model",
    "scratch of a block",
};
static_assert(std::size(region_names) == static_cast<std::size_t>(RegionName::block_scratch) + 1);

}  // namespace detail

/// The name in words, in static storage.
[[nodiscard]] constexpr const char* to_string(RegionName name) noexcept {
  const auto number = static_cast<std::size_t>(name);
  return number < std::size(detail::region_names) ? detail::region_names[number] : "unknown region";
}

}  // namespace heed
