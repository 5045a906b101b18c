// SPDX-License-Identifier: MIT
//
// What a block's calls refuse, before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/validation.hpp"
#include "heed/block.hpp"
#include "layer/packed_weights.hpp"
#include "linear/weight_format.hpp"

namespace heed::detail {

template <class Byte>
[[nodiscard]] std::span<Byte> part(std::span<Byte> memory, const Region& region) noexcept {
  return memory.subspan(region.offset, region.bytes);
}

[[nodiscard]] inline PackedWeights part(const PackedWeights& weights, const Region& region) noexcept {
  return {part(weights.bytes, region), weights.format};
}

/// Whether the headers of packed weights were written for a plan.
template <class Cache>
[[nodiscard]] bool headers_match(const BlockPlan<Cache>& plan, const std::byte* packed) noexcept {
  return header_matches(weights_header(plan.attention), packed + plan.attention_weights.offset) &&
         (plan.config.cross_dim == 0 || header_matches(weights_header(plan.cross), packed + plan.cross_weights.offset));
}

template <class Cache>
[[nodiscard]] Status check_block(const BlockPlan<Cache>& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                                 const PackedWeights& weights) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  const Status status = check_memories(
      {used(state, plan.state_bytes), used(scratch, plan.scratch_bytes), used(weights.bytes, plan.weights_bytes)});
  if (status != Status::ok) return status;
  if (!headers_match(plan, weights.bytes.data())) return Status::wrong_weights;
  return reads(weights.format, plan.config.weight_type) ? Status::ok : Status::missing_format;
}

template <class Cache>
[[nodiscard]] Status check_rows(const BlockPlan<Cache>& plan, const float* rows, std::uint32_t count) noexcept {
  if (count == 0) return Status::zero_dimension;
  if (count > plan.memory.rows) return Status::too_large;
  return check_input(dense(rows, count, plan.config.model_dim), 1, count, plan.config.model_dim);
}

}  // namespace heed::detail
