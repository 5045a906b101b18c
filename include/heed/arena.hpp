// SPDX-License-Identifier: MIT
//
// Fixed memory, its regions, and the arithmetic by which plans lay them out.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/heed_types.h"
#include "heed/types.hpp"

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
  rounded_rows,
  registers,
  token_types,
  relative_bias,
  pooler_weight,
  pooler_scales,
  pooler_bias,
  second_input_weight,
  second_input_scales,
  second_input_bias,
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
    "rounded rows",
    "registers",
    "token types",
    "relative bias",
    "pooler panels",
    "pooler scales",
    "pooler bias",
    "second input panels",
    "second input scales",
    "second input bias",
};
static_assert(std::size(region_names) == static_cast<std::size_t>(RegionName::second_input_bias) + 1);

}  // namespace detail

/// The name in words, in static storage.
[[nodiscard]] constexpr const char* to_string(RegionName name) noexcept {
  const auto number = static_cast<std::size_t>(name);
  return number < std::size(detail::region_names) ? detail::region_names[number] : "unknown region";
}

/// Lanes of the logical vector on every port. Keys, features and output columns are handled in panels of this width.
inline constexpr std::uint32_t panel_width = 16;

/// Keys over which one partial softmax is taken. Key blocks start at absolute multiples of it, so the order of every
/// sum follows from the key positions alone; part of the arithmetic, not a tuning constant.
inline constexpr std::uint32_t block_keys = 256;

inline constexpr std::uint32_t max_dimension = 1U << 16;  ///< head_dim, value_dim, heads, model_dim
inline constexpr std::uint32_t max_rows = 1U << 30;       ///< queries, keys, batch, tokens
inline constexpr std::uint32_t max_workers = 64;

[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) noexcept {
  return (value + step - 1) / step * step;
}

/// Lays regions one after the other, each on an arena_alignment boundary. The total must stay below 2^32, so that the
/// plan is the same on a 32-bit target. No 64-bit division, for which such a target would call a library routine.
class Layout {
 public:
  /// A region of rows * columns * element_bytes bytes.
  constexpr Region add(RegionName name, std::uint64_t rows, std::uint64_t columns,
                       std::uint64_t element_bytes) noexcept {
    constexpr std::uint64_t limit = UINT32_MAX;
    if (rows > limit || columns > limit || rows * columns > limit) fits_ = false;
    const std::uint64_t elements = fits_ ? rows * columns : 0;
    if (elements * element_bytes > limit) fits_ = false;
    const std::uint64_t bytes = fits_ ? round_up(elements * element_bytes, arena_alignment) : 0;
    if (end_ + bytes > limit) fits_ = false;
    if (!fits_) return {};
    const Region region{name, static_cast<std::uint32_t>(end_), static_cast<std::uint32_t>(bytes)};
    end_ += bytes;
    return region;
  }

  [[nodiscard]] constexpr bool fits() const noexcept { return fits_; }
  [[nodiscard]] constexpr std::uint32_t bytes() const noexcept { return static_cast<std::uint32_t>(end_); }

 private:
  std::uint64_t end_ = 0;
  bool fits_ = true;
};

/// What plan() calls on a configuration that cannot work. It is not constexpr, so reaching it at compile time stops the
/// compilation with its name and the status in the message.
namespace this_configuration_is_refused {
void zero_dimension();
void heads_not_divisible();
void too_large();
void bad_workers();
void bad_option();
void bad_base();
void bad_rotary();
}  // namespace this_configuration_is_refused

namespace detail {

consteval void require(Status status) {
  if (status == Status::zero_dimension) this_configuration_is_refused::zero_dimension();
  if (status == Status::heads_not_divisible) this_configuration_is_refused::heads_not_divisible();
  if (status == Status::bad_workers) this_configuration_is_refused::bad_workers();
  if (status == Status::bad_option) this_configuration_is_refused::bad_option();
  if (status == Status::bad_base) this_configuration_is_refused::bad_base();
  if (status == Status::bad_rotary) this_configuration_is_refused::bad_rotary();
  if (status != Status::ok) this_configuration_is_refused::too_large();
}

}  // namespace detail

}  // namespace heed
